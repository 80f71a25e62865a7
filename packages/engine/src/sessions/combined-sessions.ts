import {
  type BundleSource,
  type CaseNames,
  combinedCases,
  combinedNames,
  type GraphEntry,
  isCombined,
  type Profile,
  type TensorSignature,
} from '@fuzzqe/bundle';
import type { Session, SessionFactory, TensorValue, TensorValues } from './session.ts';

/**
 * A runtime that opens the graphs of a profile, which may be cases of one file: that is opened once for all of them, and
 * closed with the last.
 */
export function combinedSessions(factory: SessionFactory, profile: Profile): SessionFactory {
  if (!isCombined(profile)) return factory;
  const file = profile.edge;
  const unused = unusedInputs(file);
  let users = 0;
  let opening: Promise<Session> | undefined;
  const use = async (source: BundleSource): Promise<Session> => {
    opening ??= factory.open(file, source);
    const current = opening;
    // Before it is open, so that none who closes meanwhile takes itself for the last.
    users += 1;
    try {
      return await current;
    } catch (cause) {
      users -= 1;
      // Anyone who comes next tries again.
      if (opening === current) opening = undefined;
      throw cause;
    }
  };
  return {
    get runtime() {
      return factory.runtime;
    },
    async open(graph, source) {
      const session = await use(source);
      // All but the file itself are cases, as the manifest was checked, and nobody opens that.
      const number = graph.case!;
      const names = combinedNames[combinedCases[number]!];
      let closing: Promise<void> | undefined;
      return {
        run: async (feeds) => renamed(await session.run(feedsOf(number, feeds, names, unused)), names),
        close() {
          closing ??= (async () => {
            users -= 1;
            if (users > 0) return;
            opening = undefined;
            await session.close();
          })();
          return closing;
        },
      };
    },
  };
}

/** What stands for inputs that a case does not read: zeros, with one row. */
function unusedInputs({ inputs }: GraphEntry): Readonly<Record<string, TensorValue>> {
  return Object.fromEntries(inputs.map((each) => [each.name, zerosOf(each)]));
}

function zerosOf({ dtype, shape }: TensorSignature): TensorValue {
  const dims = shape.map((dim) => (typeof dim === 'number' ? dim : 1));
  const size = dims.reduce((product, dim) => product * dim, 1);
  return { dims, data: dtype === 'int' ? new Int32Array(size) : new Float32Array(size) };
}

function feedsOf(
  number: number,
  feeds: TensorValues,
  { inputs }: CaseNames,
  unused: Readonly<Record<string, TensorValue>>,
): TensorValues {
  const all: Record<string, TensorValue> = { ...unused, case: { dims: [1], data: Int32Array.of(number) } };
  for (const [name, value] of Object.entries(feeds)) all[inputs[name]!] = value;
  return all;
}

function renamed(outputs: TensorValues, names: CaseNames): TensorValues {
  return Object.fromEntries(
    Object.entries(names.outputs).flatMap(([name, called]): [string, TensorValue][] => {
      const value = outputs[called];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
