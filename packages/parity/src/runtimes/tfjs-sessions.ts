import { type GraphEntry, operatorNames, type Profile } from '@fuzzqe/bundle';
import { FuzzError } from '@fuzzqe/core';
import type { NumericTensor, NumericTensors, Program } from '@fuzzqe/core/tensor';
import type { SessionFactory, TensorValue } from '@fuzzqe/engine';
import {
  edgeSwitch,
  linksProgram,
  mixedProgram,
  operatorPrograms,
  rankProgram,
  type ServedModel,
  structurePrograms,
} from '@fuzzqe/export';
import { structuresOf } from '@fuzzqe/model';
import { type DeviceProgram, type DeviceTensors, download, openProgram } from '@fuzzqe/tfjs';

/** What a graph of a bundle computes, on a device. */
interface OpenGraph {
  run(feeds: NumericTensors): Promise<NumericTensors>;
  close(): void;
}

/**
 * Runs, for each graph of a profile, the tensor program that it was emitted from; no ONNX file is read.
 *
 * The tensors are the weights of the profile. Ids are taken as they are: the engine checks queries at the door.
 */
export function tfjsSessions(profile: Profile, model: ServedModel, tensors: DeviceTensors): SessionFactory {
  const graphs = openersOf(profile, model);
  return {
    runtime: tensors.backend.description,
    async open({ path, outputs }) {
      const open = graphs.get(path);
      if (open === undefined) throw new FuzzError('bundle', 'there is no program of this graph', { path });
      const graph = open(tensors);
      return {
        async run(feeds) {
          const results = await graph.run(
            Object.fromEntries(
              Object.entries(feeds).map(([name, { dims, data }]) => [name, { shape: dims, data }]),
            ),
          );
          return Object.fromEntries(
            outputs.map(({ name, dtype }) => [name, tensorValue(results[name]!, dtype === 'int')]),
          );
        },
        close: async () => graph.close(),
      };
    },
  };
}

/** How each graph of a profile is opened, by its path. */
function openersOf(
  profile: Profile,
  model: ServedModel,
): ReadonlyMap<string, (tensors: DeviceTensors) => OpenGraph> {
  const operators = operatorPrograms(model);
  const structures = structurePrograms(model);
  const programs: readonly (readonly [GraphEntry, Program])[] = [
    ...operatorNames.map((name) => [profile.operators[name], operators[name]] as const),
    ...(profile.operators.centroid === undefined || operators.centroid === undefined
      ? []
      : ([[profile.operators.centroid, operators.centroid]] as const)),
    // Bundles with one file for all graphs have none of these.
    ...structuresOf(model.config).flatMap((name) =>
      profile.structures === undefined ? [] : ([[profile.structures[name], structures[name]!]] as const),
    ),
    ...(profile.program === undefined ? [] : ([[profile.program, mixedProgram(model)]] as const)),
    [profile.rank, rankProgram(model)],
    [profile.links, linksProgram(model)],
  ];
  return new Map([
    ...programs.map(
      ([graph, program]) => [graph.path, (tensors: DeviceTensors) => openOne(program, tensors)] as const,
    ),
    [profile.edge.path, (tensors) => openEdge(model, tensors)],
  ]);
}

function openOne(program: Program, tensors: DeviceTensors): OpenGraph {
  const opened = openProgram(program, tensors);
  return { run: (feeds) => runOnce(opened, feeds), close: opened.close };
}

/** The edge graph: the host chooses the case. */
function openEdge(model: ServedModel, tensors: DeviceTensors): OpenGraph {
  const structures = edgeSwitch(model).cases.map((program) => openProgram(program, tensors));
  return {
    run: (feeds) => runOnce(structures[feeds['structure']!.data[0]!]!, feeds),
    close() {
      for (const program of structures) program.close();
    },
  };
}

async function runOnce(program: DeviceProgram, feeds: NumericTensors): Promise<NumericTensors> {
  const results = Object.entries(program.run(feeds));
  try {
    return Object.fromEntries(
      await Promise.all(results.map(async ([name, tensor]) => [name, await download(tensor)] as const)),
    );
  } finally {
    for (const [, tensor] of results) tensor.dispose();
  }
}

function tensorValue({ shape, data }: NumericTensor, isInt: boolean): TensorValue {
  return { dims: shape, data: isInt ? Int32Array.from(data) : Float32Array.from(data) };
}
