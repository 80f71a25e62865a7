import {
  bundleFormatVersion,
  combinedCaseOf,
  combinedSignature,
  edgeSignature,
  type GraphEntry,
  operatorNames,
  type Profile,
} from '@fuzzqe/bundle';
import type { StructureName } from '@fuzzqe/core/query';
import type { Program } from '@fuzzqe/core/tensor';
import { type ModelConfig, structuresOf } from '@fuzzqe/model';
import { type EmitOptions, emitOnnx, emitSwitch, type WeightLayout } from '@fuzzqe/onnx';
import { linksProgram, rankProgram } from '../programs/answer-programs.ts';
import { combinedSwitch } from '../programs/combined-switch.ts';
import { edgeSwitch } from '../programs/edge-switch.ts';
import { mixedProgram } from '../programs/mixed-program.ts';
import { operatorPrograms } from '../programs/operator-programs.ts';
import type { ServedModel } from '../programs/served-model.ts';
import { structurePrograms } from '../programs/structure-programs.ts';
import type { FolderWriter } from './folder-writer.ts';
import { storedModel } from './stored-model.ts';

/** The weights file of a profile, from its folder. */
export const weightsFile = 'weights.bin';

/** The folder of a profile, from the bundle's root. */
export const profileFolder = (profile: string): string => `models/${profile}`;

/** The graphs of a profile, without what is known when its weights are written. */
export type ProfileGraphs = Omit<Profile, 'bytes' | 'golden' | 'tolerances' | 'quality'>;

/** Of which profile graphs are, and whether they are cases of one file. */
export interface GraphFiles {
  readonly profile: string;
  readonly layout: WeightLayout;
  readonly combined: boolean;
}

/** Writes every graph of a profile next to its weights file, and says what was written. */
export async function writeGraphs(
  writer: FolderWriter,
  config: ModelConfig,
  model: ServedModel,
  { profile, layout, combined }: GraphFiles,
): Promise<ProfileGraphs> {
  const folder = profileFolder(profile);
  const options: EmitOptions = {
    parameters: (name) => ({ kind: 'external', location: weightsFile, ...layout.places.get(name)! }),
    metadata: {
      'fuzzqe.format': String(bundleFormatVersion),
      'fuzzqe.model': JSON.stringify(storedModel(config)),
      'fuzzqe.profile': profile,
    },
  };
  const weights = `${folder}/${weightsFile}`;
  const pathOf = (name: string): string => `${folder}/${name}.onnx`;
  const write = async (program: Program): Promise<GraphEntry> => {
    const path = pathOf(combined ? 'edge' : program.name);
    const entry = entryOf(program, path, weights);
    if (combined) return { ...entry, weights: [weights], case: combinedCaseOf(program.name) };
    await writer.write(path, emitOnnx(program, options));
    return entry;
  };
  const writeAll = async <K extends string>(
    names: readonly K[],
    programs: Readonly<Record<K, Program>>,
  ): Promise<Record<K, GraphEntry>> => {
    const entries: [K, GraphEntry][] = [];
    for (const name of names) entries.push([name, await write(programs[name])]);
    // Every name has an entry now, which is what the record says.
    return Object.fromEntries(entries) as Record<K, GraphEntry>;
  };
  const edge = combined ? combinedSwitch(model) : edgeSwitch(model);
  const { centroid, ...operators } = operatorPrograms(model);
  const graphs = {
    operators: {
      ...(await writeAll(operatorNames, operators)),
      ...(centroid === undefined ? {} : { centroid: await write(centroid) }),
    },
    ...(combined
      ? {}
      : {
          structures: await writeAll(
            structuresOf(config),
            structurePrograms(model) as Record<StructureName, Program>,
          ),
          program: await write(mixedProgram(model)),
        }),
    rank: await write(rankProgram(model)),
    links: await write(linksProgram(model)),
    edge: {
      path: pathOf('edge'),
      weights: [weights],
      ...(combined ? combinedSignature : edgeSignature)(config),
    },
  };
  await writer.write(pathOf('edge'), emitSwitch(edge, { ...options, described: !combined }));
  return graphs;
}

function entryOf(program: Program, path: string, weights: string): GraphEntry {
  return {
    path,
    weights: program.parameters.length === 0 ? [] : [weights],
    inputs: program.inputs.map(({ attributes, dtype, shape }) => ({ name: attributes.name, dtype, shape })),
    outputs: program.outputs.map(({ name, tensor: { dtype, shape } }) => ({ name, dtype, shape })),
  };
}
