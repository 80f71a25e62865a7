import type { Shape } from '@fuzzqe/core/tensor';
import { type ElementType, elementTypes } from '../proto/element-type.ts';
import type { OnnxValueInfo } from '../proto/model.ts';

/** A name with its type; an extent that is only a name becomes a `dim_param`. */
export function valueInfo(name: string, type: ElementType, shape: Shape): OnnxValueInfo {
  const dim = shape.map((extent) =>
    typeof extent === 'number' ? { dimValue: extent } : { dimParam: extent },
  );
  return { name, type: { tensorType: { elemType: elementTypes[type], shape: { dim } } } };
}
