"""Scores the asked links of a judged graph: score.py GRAPH_FOLDER CHECKPOINT NAME [--batch 8]"""
import json, sys, time
import numpy as np, torch
from ultra import Graph, load

torch.set_num_threads(1)
folder, checkpoint, name = sys.argv[1:4]
batch = int(sys.argv[5]) if len(sys.argv) > 5 else 8
info = json.load(open(f'{folder}/graph.json'))
model, against = load(checkpoint)
model.eval()
for part in ['valid', 'test']:
    began = time.process_time()
    graph = Graph(np.fromfile(f'{folder}/{part}-facts.i32', dtype=np.int32), info['entities'], info['relations'])
    if against:
        graph.edges = graph.edges[:, [2, 1, 0]]
        graph.relation_edges = graph.relation_edges[:, [2, 1, 0]]
    asked = torch.as_tensor(np.fromfile(f'{folder}/{part}-links.i32', dtype=np.int32).astype(np.int64).reshape(-1, 2))
    out = np.zeros((len(asked), info['entities']), dtype=np.float32)
    with torch.no_grad():
        for r in asked[:, 1].unique():
            vectors = model.relation_vectors(graph, r.view(1))
            at = (asked[:, 1] == r).nonzero().view(-1)
            for some in at.split(batch):
                out[some.numpy()] = model(graph, asked[some, 0], asked[some, 1], vectors).numpy()
    out.tofile(f'{folder}/{part}-{name}.f32')
    print(f'{folder} {part} {name}: {len(asked)} links, {time.process_time() - began:.1f} s of the processor', flush=True)
