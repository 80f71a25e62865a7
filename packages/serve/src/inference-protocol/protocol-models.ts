import { type ModelLease, type ModelRegistry, RequestError } from '@fuzzqe/api';
import { type Structure, structures } from '@fuzzqe/core/query';

/** A tensor as metadata describes it; -1 is a dimension of any size. */
export interface TensorMetadata {
  readonly name: string;
  readonly datatype: Datatype;
  readonly shape: readonly number[];
}

/** The datatypes that the models here use. */
export type Datatype = 'INT64' | 'FP32' | 'BYTES';

/** What the protocol calls a model: queries of one structure as ids, or queries as text. */
export interface ProtocolModel {
  /** As the client named it. */
  readonly name: string;
  /** None where queries are text. */
  readonly structure: Structure | undefined;
  readonly inputs: readonly TensorMetadata[];
  readonly outputs: readonly TensorMetadata[];
}

/** What the models of the default bundle are called, whatever the bundle is called. */
export const commonName = 'fuzzqe';

/**
 * The model of a name, and the bundle that answers for it, which has to be released.
 *
 * `NAME` takes queries as text and `NAME-2in` those of one structure, where NAME is that of a bundle, or `fuzzqe` for the default.
 *
 * @throws RequestError `not-found`: no such model or version. FuzzError `runtime`: it is not open.
 */
export async function acquireModel(
  models: ModelRegistry,
  name: string,
  version: string | undefined,
): Promise<{ readonly model: ProtocolModel; readonly lease: ModelLease }> {
  const named = Object.values(structures).find((each) => name.endsWith(`-${each.name}`));
  const [bundle, structure] =
    models.names.includes(name) || named === undefined
      ? [name, undefined]
      : [name.slice(0, -named.name.length - 1), named];
  // Before a model is open there are no names to know it by, and `acquire` says so.
  const known = models.names.length === 0 || models.names.includes(bundle) || bundle === commonName;
  if (!known)
    throw new RequestError(
      'not-found',
      `no such model: ${JSON.stringify(name.slice(0, 200))}`,
      `Models are ${commonName}, ${commonName}-1p, …, ${commonName}-pni${models.names.length > 1 ? ', and the same with the name of a bundle for the first word' : ''}.`,
    );
  const lease = await models.acquire(models.names.includes(bundle) ? bundle : undefined);
  if (version === undefined || version === lease.version)
    return { model: describeModel(name, structure), lease };
  lease.release();
  throw new RequestError(
    'not-found',
    `model ${name}: no such version: ${JSON.stringify(version.slice(0, 200))}`,
    `Its version is ${lease.version}.`,
  );
}

const answers: readonly TensorMetadata[] = [
  { name: 'ids', datatype: 'INT64', shape: [-1, -1] },
  { name: 'degrees', datatype: 'FP32', shape: [-1, -1] },
  { name: 'scores', datatype: 'FP32', shape: [-1, -1] },
];

const names: readonly TensorMetadata[] = [
  { name: 'keys', datatype: 'BYTES', shape: [-1, -1] },
  { name: 'labels', datatype: 'BYTES', shape: [-1, -1] },
];

function describeModel(name: string, structure: Structure | undefined): ProtocolModel {
  const inputs: readonly TensorMetadata[] =
    structure === undefined
      ? [{ name: 'query', datatype: 'BYTES', shape: [-1] }]
      : [
          { name: 'anchors', datatype: 'INT64', shape: [-1, structure.anchors] },
          { name: 'relations', datatype: 'INT64', shape: [-1, structure.relations] },
        ];
  return { name, structure, inputs, outputs: [...answers, ...names] };
}
