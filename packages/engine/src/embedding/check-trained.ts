import { FuzzError } from '@fuzzqe/core';
import type { ModelConfig } from '@fuzzqe/core/model';
import type { Query } from '@fuzzqe/core/query';

/**
 * Refuses to embed queries along a relation that came after the model.
 *
 * @throws FuzzError `usage`.
 */
export function checkTrained(queries: readonly Query[], model: Pick<ModelConfig, 'relations'> | null): void {
  const visit = (node: Query): void => {
    switch (node.op) {
      case 'entity':
        return;
      case 'not':
        visit(node.operand);
        return;
      case 'project':
        if (model !== null && node.relation >= model.relations)
          throw new FuzzError(
            'usage',
            'mode: expected sets for a relation that was created after the training, got embedding',
            { path: '$.mode', hint: 'Ask in mode sets, or refresh the model with `fuzzqe refresh`.' },
          );
        visit(node.from);
        return;
      default:
        node.operands.forEach(visit);
    }
  };
  queries.forEach(visit);
}
