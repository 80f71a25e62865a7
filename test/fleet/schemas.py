"""usage: schemas.py FOLDER KUBERNETES: schemas for kubeconform, a file a kind, each whole in itself and strict.

Of Kubernetes from the package kubernetes-validate, of KServe from the models of the package kserve, which are only read: types and
names of all fields, as generated from KServe's own definitions.
"""
import ast
import importlib.util
import json
import re
import sys
from pathlib import Path

target, version = Path(sys.argv[1]), sys.argv[2]
target.mkdir(parents=True, exist_ok=True)
folder = lambda name: Path(importlib.util.find_spec(name).submodule_search_locations[0])
kubernetes = folder("kubernetes_validate") / "kubernetes-json-schema" / f"v{version}-local-strict"
inside = lambda text: text.replace("/api/_definitions.json#", "#")
definitions = json.loads(inside((kubernetes / "_definitions.json").read_text()))["$defs"]
kserve = folder("kserve") / "models"


def write(name, schema):
    (target / name).write_text(json.dumps({**schema, "$defs": definitions}))


for kind in ("deployment-apps-v1", "service-v1", "configmap-v1", "horizontalpodautoscaler-autoscaling-v2", "poddisruptionbudget-policy-v1"):
    write(f"{kind}.json", json.loads(inside((kubernetes / f"{kind}.json").read_text())))

plain = {"str": "string", "int": "integer", "bool": "boolean", "float": "number"}


def schema_of(kind):
    if inner := re.fullmatch(r"list\[(.+)\]", kind):
        return {"type": "array", "items": schema_of(inner[1])}
    if inner := re.fullmatch(r"dict\(str, (.+)\)", kind):
        return {"type": "object", "additionalProperties": schema_of(inner[1])}
    if kind in plain:
        return {"type": plain[kind]}
    if own := re.fullmatch(r"V1(?:alpha1|beta1)\w+", kind):
        return {"$ref": f"#/$defs/{define(own[0])}"}
    if re.fullmatch(r"V1\w+", kind):
        for prefix in ("io.k8s.api.core.v1.", "io.k8s.apimachinery.pkg.apis.meta.v1."):
            if prefix + kind[2:] in definitions:
                return {"$ref": f"#/$defs/{prefix}{kind[2:]}"}
    return {}


def define(kind):
    name = f"kserve.{kind}"
    if name not in definitions:
        definitions[name] = {}
        paths = [path for path in kserve.glob("*.py") if f"class {kind}(" in path.read_text()]
        # The package lacks the model of some fields: those take anything.
        if not paths:
            return name
        maps = {
            node.targets[0].id: ast.literal_eval(node.value)
            for node in ast.walk(ast.parse(paths[0].read_text()))
            if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") in ("openapi_types", "attribute_map")
        }
        types, names = maps["openapi_types"], maps["attribute_map"]
        properties = {names[field]: schema_of(types[field]) for field in types}
        definitions[name] = {"type": "object", "properties": properties, "additionalProperties": False}
    return name


for kind, suffix in (("V1beta1InferenceService", "serving-v1beta1"), ("V1alpha1ServingRuntime", "serving-v1alpha1")):
    name = define(kind)
    short = kind.removeprefix("V1beta1").removeprefix("V1alpha1").lower()
    write(f"{short}-{suffix}.json", {"$ref": f"#/$defs/{name}", "required": ["apiVersion", "kind", "metadata", "spec"]})
