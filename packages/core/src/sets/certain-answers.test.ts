import { describe, expect, it } from 'vitest';
import { logicNames, logics } from '../logic/logic.ts';
import { createRandom } from '../random.ts';
import { createProgram, evaluate, input, numeric, scalar } from '../tensor/index.ts';
import { createProjectionLimit } from './certain-answers.ts';
import { projectedSet } from './degrees.ts';

describe.each(logicNames)('the limit of a projection in %s logic', (name) => {
  /** (10) for each entity. Shapes: predicted [m, n], memberships [m], recorded [3, n] → [n]. */
  const degreesOf = (
    support: number,
    predicted: number[],
    memberships: number[],
    recorded: number[],
  ): number[] => {
    const [members, entities] = [memberships.length, recorded.length / 3];
    const given = {
      predicted: input('predicted', 'float', ['members', 'entities']),
      membership: input('membership', 'float', ['members', 1]),
      recorded: input('recorded', 'float', [3, 'entities']),
    };
    const program = createProgram({
      name: 'projection',
      inputs: Object.values(given),
      outputs: { degrees: projectedSet(logics[name], scalar(support), given) },
    });
    const { degrees } = evaluate(program, {
      predicted: numeric([members, entities], predicted),
      membership: numeric([members, 1], memberships),
      recorded: numeric([3, entities], recorded),
    });
    return Array.from(degrees!.data);
  };

  it.each([0, 0.1, 1])('is above the degrees of all entities, with a support of %f', (support) => {
    const random = createRandom(`limits of ${name} ${support}`);
    for (let draw = 0; draw < 50; draw += 1) {
      const cap = 0.05 + 0.89 * random.uniform();
      const memberships = Array.from({ length: 1 + random.below(4) }, () => random.uniform());
      const entities = 2 + random.below(3);
      const predicted = Array.from({ length: memberships.length * entities }, () =>
        Math.min(cap, 2 * cap * random.uniform()),
      );
      // The entity to which the best member leads need not be the one to which the most lead.
      const best = Array.from({ length: entities }, () => 0.94 * random.uniform());
      const total = best.map((degree) => degree * (1 + random.below(8)));
      const factors = best.map(() => Math.min(1, 0.5 + random.uniform()));
      const degrees = degreesOf(support, predicted, memberships, [...best, ...total, ...factors]);
      const limit = createProjectionLimit(name, { cap, support });
      expect(limit(memberships, Math.max(...best), Math.max(...total)) + 1e-9).toBeGreaterThanOrEqual(
        Math.max(...degrees),
      );
    }
  });
});
