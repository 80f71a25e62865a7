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
