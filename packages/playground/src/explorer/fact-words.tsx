import type { ComponentChildren, JSX } from 'preact';

/** A fact as a line: head, relation, tail, in this order whichever way the script of each is read. */
export function FactWords({
  head,
  relation,
  tail,
}: {
  readonly head: ComponentChildren;
  readonly relation: string;
  readonly tail: ComponentChildren;
}): JSX.Element {
  return (
    <>
      <bdi>{head}</bdi>{' '}
      <span class="link-relation">
        <bdi>{relation}</bdi>
      </span>{' '}
      <bdi>{tail}</bdi>
    </>
  );
}
