"""Writes the weights of a trained network as JSON, matrices as [in, out]: weights.py OWN.pt OUT.json"""
import json, sys, torch

saved = torch.load(sys.argv[1], weights_only=False)
weights = {}
for name, value in saved['model'].items():
    is_matrix = value.ndim == 2 and name.endswith('weight')
    value = value.T.contiguous() if is_matrix else value
    weights[name] = {'shape': list(value.shape), 'data': value.flatten().tolist()}
json.dump({'d': saved['d'], 'layers': saved['layers'], 'weights': weights}, open(sys.argv[2], 'w'))
