/** How many facts a relation has at least, and by how much rules may be ahead. */
const [fewest, most] = [30, 0.02];

/** The relations with 30 or more test facts in which rules alone have an MRR more than 0.02 above that of links. */
export const aheadOfLinks = (relations) =>
  relations
    .filter(({ facts, rules, links }) => facts >= fewest && rules - links > most)
    .map(({ relation, rules, links }) => ({ relation, by: rules - links }));

/** The tenths above 0.1 with 50 or more links in which |said − found| is more than 0.1. */
export const tenthsOff = ({ bins }) =>
  bins.filter(({ count, stated, found }) => stated >= 0.1 && count >= 50 && Math.abs(stated - found) > 0.1);

/** How many predicted answers have degree 0.5 or more, and the share of right ones among them; null without such an answer. */
export function answersSaid({ bins }) {
  const certain = bins.filter(({ stated }) => stated >= 0.5);
  const said = certain.reduce((sum, { count }) => sum + count, 0);
  const right = certain.reduce((sum, { count, found }) => sum + count * found, 0);
  return { said, right: said === 0 ? null : right / said };
}

/** Counts how often the anchor of a 1p query is ranked first, recorded tails left out, in relations in which no fact leads to its own head. */
export function countSubjects(full, recorded) {
  const reflexive = new Map();
  const isReflexive = (relation) => {
    if (!reflexive.has(relation))
      reflexive.set(
        relation,
        Array.from({ length: full.entityCount }, (_, id) => id).some((id) => full.has(id, relation, id)),
      );
    return reflexive.get(relation);
  };
  const counts = { first: 0, of: 0 };
  return {
    counts,
    watch: (score) => async (structure, anchors, relations, rows) => {
      const scores = await score(structure, anchors, relations, rows);
      if (structure.name !== '1p') return scores;
      for (let row = 0; row < rows; row += 1) {
        const [anchor, relation] = [anchors[row], relations[row]];
        if (isReflexive(relation)) continue;
        const own = scores.subarray(row * full.entityCount, (row + 1) * full.entityCount);
        const known = new Set(recorded.tails(anchor, relation));
        counts.of += 1;
        if (
          own[anchor] > -Infinity &&
          own.every((value, id) => id === anchor || known.has(id) || value < own[anchor])
        )
          counts.first += 1;
      }
      return scores;
    },
  };
}
