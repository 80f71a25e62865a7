// What a run should reach, what was seen, and whether that is enough: a line each, and all as JSON.

/** Gathers goals of a run; `note(goal, seen, reached)` in the order in which they are measured. */
export function createGoals(say) {
  const all = [];
  return {
    all,
    note(goal, seen, reached) {
      all.push({ goal, seen, reached });
    },
    print() {
      if (all.length === 0) return;
      say('goal | seen | reached');
      for (const { goal, seen, reached } of all) say(`${goal} | ${seen} | ${reached ? 'yes' : 'no'}`);
      const missed = all.filter(({ reached }) => !reached).length;
      say(`${all.length - missed} of ${all.length} reached`);
    },
  };
}

/** The bounds of an engine's milliseconds a query, by mode, dimension, profile and batch. */
const engineBounds = [
  { mode: 'embedding', dimension: 800, profile: 'int8', batch: 64, cores: 2, most: 0.15 },
  { mode: 'embedding', dimension: 800, profile: 'int8', batch: 1, cores: 1, most: 0.35 },
  { mode: 'embedding', dimension: 800, profile: 'fp32', batch: 64, cores: 2, most: 0.5 },
  { mode: 'embedding', dimension: 128, profile: 'fp32', batch: 64, cores: 1, most: 0.06 },
  { mode: 'sets', dimension: 128, profile: 'fp32', batch: 64, cores: 1, most: 1.5 },
];

/** Notes the goals of an engine on one thread; a share of two cores takes half of the time, where nothing else is shared. */
export function noteEngine(goals, measured, { dimension, profile }) {
  for (const { mode, batch, time, call } of measured) {
    const bound = engineBounds.find(
      (each) =>
        each.mode === mode &&
        each.batch === batch &&
        each.dimension === dimension &&
        each.profile === profile,
    );
    if (bound === undefined) continue;
    const { cores, most } = bound;
    const seen = (batch === 1 ? call : time) / cores;
    const what = batch === 1 ? 'p50 at batch 1' : `amortised on ${cores === 1 ? 'one thread' : '2 cores'}`;
    goals.note(
      `engine, ${mode}, d ${dimension}, ${profile}: at most ${most} ms a query, ${what}`,
      `${seen.toFixed(3)} ms`,
      seen <= most,
    );
  }
}
