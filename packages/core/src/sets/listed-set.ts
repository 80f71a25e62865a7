/** A fuzzy set whose members of some degree are listed. */
export interface ListedSet {
  /** [|E|], not to be written to. */
  readonly degrees: Float32Array;
  /** The entities of a degree above a floor, ascending; a floor is never lower than the floor before. */
  above(floor: number): Int32Array;
}

/** Lists the members of a set when they are first asked for: of later floors only what is listed is looked at. */
export function listSet(degrees: Float32Array): ListedSet {
  let members: Int32Array | undefined;
  let listed = 0;
  return {
    degrees,
    above(floor) {
      if (members === undefined) members = membersAbove(degrees, floor);
      else if (floor > listed) members = members.filter((id) => degrees[id]! > floor);
      listed = floor;
      return members;
    },
  };
}

function membersAbove(degrees: Float32Array, floor: number): Int32Array {
  const ids = new Int32Array(degrees.length);
  let count = 0;
  for (let id = 0; id < degrees.length; id += 1) if (degrees[id]! > floor) ids[count++] = id;
  return ids.slice(0, count);
}

/** The degrees of some entities. Shape: [ids]. */
export function degreesAt(degrees: Float32Array, ids: Int32Array): Float32Array {
  const picked = new Float32Array(ids.length);
  for (let i = 0; i < ids.length; i += 1) picked[i] = degrees[ids[i]!]!;
  return picked;
}
