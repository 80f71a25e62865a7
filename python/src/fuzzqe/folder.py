"""The folder of a bundle, whose files are compared with the manifest before they are used."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from .errors import FuzzError, describe_value
from .manifest import Manifest, Profile, parse_manifest

_PIECE = 2**20
_LARGEST_MANIFEST = 16 * 2**20
_AGAIN = "Export or download the bundle again."


class Folder:
    """A folder with a bundle, and its manifest."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """Raises FuzzError `bundle`: no bundle there, or a manifest that is damaged or of another version."""
        given: object = path
        if not isinstance(given, str | os.PathLike):
            hint = 'For example Bundle.open("bundles/mine").'
            raise FuzzError("bundle", f"bundle: expected the path of a folder, got {describe_value(given)}", hint=hint)
        self.path = find_bundle(Path(path))
        manifest = self.path / "manifest.json"
        try:
            with manifest.open("rb") as file:
                content = file.read(_LARGEST_MANIFEST + 1)
        except OSError as error:
            raise _unreadable(manifest, error) from error
        self.manifest: Manifest = parse_manifest(content, str(manifest))

    def verify(self, profile: Profile) -> None:
        """Compares the files of a profile, and those that all profiles share, with the manifest.

        Raises FuzzError `bundle`, which names every file that is missing, cut off, altered, in parts or foreign.
        """
        others = set[str]().union(*(each.files for each in self.manifest.profiles.values() if each != profile))
        problems = [
            problem
            for path in self.manifest.files
            if path in profile.files or path not in others
            if (problem := self._problem(path)) is not None
        ]
        problems += [f"{path}: expected no such file, the manifest does not name it" for path in self._unnamed()]
        self._refuse(problems)

    def verify_files(self, paths: Iterable[str]) -> None:
        """Compares files with the manifest, as `verify` does, before they are opened by their paths.

        Raises FuzzError `bundle`.
        """
        self._refuse([problem for path in paths if (problem := self._problem(path)) is not None])

    def _refuse(self, problems: Sequence[str]) -> None:
        if problems:
            text = f" {problems[0]}" if len(problems) == 1 else "".join(f"\n  {problem}" for problem in problems)
            raise FuzzError("bundle", f"files that are not those of the manifest:{text}", str(self.path), _AGAIN)

    def read(self, path: str) -> bytes:
        """A file whose bytes are those of the manifest. Raises FuzzError `bundle`."""
        try:
            with (self.path / path).open("rb") as file:
                # One byte more than it should have: it may have grown since it was verified.
                content = file.read(self.manifest.files[path].bytes + 1)
        except OSError as error:
            raise _unreadable(self.path / path, error) from error
        if hashlib.sha256(content).hexdigest() != self.manifest.files[path].sha256:
            raise FuzzError("bundle", "altered since the bundle was opened", str(self.path / path), _AGAIN)
        return content

    def text(self, path: str) -> str:
        """The text of a file. Raises FuzzError `bundle`."""
        try:
            return self.read(path).decode("utf-8")
        except UnicodeDecodeError as error:
            raise FuzzError("bundle", f"expected UTF-8, got {error}", str(self.path / path), _AGAIN) from error

    def _problem(self, path: str) -> str | None:
        """What is wrong with a file."""
        expected = self.manifest.files[path]
        place = self.path / path
        if expected.parts:
            return f"{path}: expected one file, it lies in parts for Workers: export with `fuzzqe export --target node`"
        try:
            # A pipe or a device would never end.
            if not place.is_file():
                return f"{path}: expected a file, there is {'something else' if place.exists() else 'none'}"
            size = place.stat().st_size
            if size != expected.bytes:
                what = "cut off" if size < expected.bytes else "too long"
                return f"{path}: {what}: expected {expected.bytes} bytes, got {size}"
            digest = hashlib.sha256()
            with place.open("rb") as file:
                while piece := file.read(_PIECE):
                    digest.update(piece)
        except OSError as error:
            return f"{path}: cannot be read: {error.strerror}"
        if digest.hexdigest() != expected.sha256:
            return f"{path}: altered: expected sha256 {expected.sha256}, got {digest.hexdigest()}"
        return None

    def _unnamed(self) -> list[str]:
        """Files that the manifest does not name; those whose names begin with a dot are put there by systems."""
        named = {"manifest.json", "manifest.json.sig", *self.manifest.files}
        found = []
        # Volumes of Kubernetes are made of links. A link to a folder around it would be followed without end.
        for folder, folders, files in os.walk(self.path, followlinks=True):
            around = {os.path.realpath(each) for each in (Path(folder), *Path(folder).parents)}
            loops = [each for each in folders if os.path.realpath(os.path.join(folder, each)) in around]
            folders[:] = [each for each in folders if each not in loops and not each.startswith(".")]
            for name in (*files, *loops):
                path = Path(folder, name).relative_to(self.path).as_posix()
                if path not in named and not any(part.startswith(".") for part in path.split("/")):
                    found.append(path)
        return sorted(found)


def find_bundle(path: Path) -> Path:
    """The folder of a bundle: the one given, or the newest version of a repository.

    Raises FuzzError `bundle`: neither.
    """
    if not path.exists():
        raise FuzzError("bundle", "expected the folder of a bundle, there is none", str(path), _NEW)
    if not path.is_dir():
        raise FuzzError("bundle", "expected the folder of a bundle, got a file", str(path), _NEW)
    if (path / "manifest.json").exists():
        return path
    try:
        versions = [each for each in path.iterdir() if re.fullmatch("[1-9][0-9]*", each.name)]
    except OSError as error:
        raise _unreadable(path, error) from error
    complete = [each for each in versions if (each / "manifest.json").exists()]
    if not complete:
        raise FuzzError("bundle", "expected manifest.json, or folders 1, 2, … with one, there is none", str(path), _NEW)
    return max(complete, key=lambda each: int(each.name))


_NEW = "Give the folder that `fuzzqe export` or `fuzzqe run` wrote."


def _unreadable(path: Path, error: OSError) -> FuzzError:
    return FuzzError("bundle", f"cannot be read: {error.strerror}", str(path), "Check the folder and its permissions.")
