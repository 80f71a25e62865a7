"""Checks ONNX files with the tools of the ONNX project itself: checker, strict shape inference, Python onnxruntime."""

import argparse
import os
import sys
from pathlib import Path

import onnx

# onnxruntime sends telemetry unless the environment says otherwise before it is imported.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
import onnxruntime  # noqa: E402


def onnx_files(paths: list[Path]) -> list[Path]:
    """The files given, and every .onnx file in the folders given, in order of name."""
    files: list[Path] = []
    for path in paths:
        files.extend(sorted(path.rglob("*.onnx")) if path.is_dir() else [path])
    return files


def check(path: Path) -> None:
    """Raises where one of the three tools refuses the file."""
    onnx.checker.check_model(str(path), full_check=True)
    # Shapes need no weights: without this, inference would have to hold them all in memory.
    model = onnx.load(str(path), load_external_data=False)
    onnx.shape_inference.infer_shapes(model, check_type=True, strict_mode=True, data_prop=True)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 2
    options.intra_op_num_threads = 1
    onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("paths", nargs="+", type=Path, help="ONNX files, or folders with ONNX files in them")
    files = onnx_files(parser.parse_args().paths)
    if not files:
        print("no .onnx file there", file=sys.stderr)
        return 2
    refused = 0
    for path in files:
        try:
            check(path)
            print(f"ok       {path}")
        except Exception as error:  # every refusal is reported, whatever it is
            refused += 1
            print(f"REFUSED  {path}\n         {type(error).__name__}: {error}")
    print(f"{len(files) - refused} of {len(files)} accepted by onnx {onnx.__version__} and onnxruntime {onnxruntime.__version__}")
    return 1 if refused else 0


if __name__ == "__main__":
    sys.exit(main())
