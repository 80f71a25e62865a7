import type { OnnxMessages } from './model.ts';

/** The name of a message. */
export type MessageName = keyof OnnxMessages;

/** How one field stands in the file. */
export interface Field {
  readonly id: number;
  readonly type: 'int64' | 'int32' | 'float' | 'string' | 'bytes' | MessageName;
  readonly repeated?: true;
}

/** The field numbers of onnx.proto, in ascending order: the order in which fields are written. */
export const schema: {
  readonly [M in MessageName]: { readonly [F in keyof Required<OnnxMessages[M]>]: Field };
} = {
  ModelProto: {
    irVersion: { id: 1, type: 'int64' },
    producerName: { id: 2, type: 'string' },
    producerVersion: { id: 3, type: 'string' },
    domain: { id: 4, type: 'string' },
    modelVersion: { id: 5, type: 'int64' },
    docString: { id: 6, type: 'string' },
    graph: { id: 7, type: 'GraphProto' },
    opsetImport: { id: 8, type: 'OperatorSetIdProto', repeated: true },
    metadataProps: { id: 14, type: 'StringStringEntryProto', repeated: true },
  },
  OperatorSetIdProto: {
    domain: { id: 1, type: 'string' },
    version: { id: 2, type: 'int64' },
  },
  StringStringEntryProto: {
    key: { id: 1, type: 'string' },
    value: { id: 2, type: 'string' },
  },
  GraphProto: {
    node: { id: 1, type: 'NodeProto', repeated: true },
    name: { id: 2, type: 'string' },
    initializer: { id: 5, type: 'TensorProto', repeated: true },
    docString: { id: 10, type: 'string' },
    input: { id: 11, type: 'ValueInfoProto', repeated: true },
    output: { id: 12, type: 'ValueInfoProto', repeated: true },
    valueInfo: { id: 13, type: 'ValueInfoProto', repeated: true },
  },
  NodeProto: {
    input: { id: 1, type: 'string', repeated: true },
    output: { id: 2, type: 'string', repeated: true },
    name: { id: 3, type: 'string' },
    opType: { id: 4, type: 'string' },
    attribute: { id: 5, type: 'AttributeProto', repeated: true },
    docString: { id: 6, type: 'string' },
    domain: { id: 7, type: 'string' },
  },
  AttributeProto: {
    name: { id: 1, type: 'string' },
    f: { id: 2, type: 'float' },
    i: { id: 3, type: 'int64' },
    s: { id: 4, type: 'bytes' },
    t: { id: 5, type: 'TensorProto' },
    g: { id: 6, type: 'GraphProto' },
    floats: { id: 7, type: 'float', repeated: true },
    ints: { id: 8, type: 'int64', repeated: true },
    type: { id: 20, type: 'int32' },
  },
  TensorProto: {
    dims: { id: 1, type: 'int64', repeated: true },
    dataType: { id: 2, type: 'int32' },
    name: { id: 8, type: 'string' },
    rawData: { id: 9, type: 'bytes' },
    docString: { id: 12, type: 'string' },
    externalData: { id: 13, type: 'StringStringEntryProto', repeated: true },
    dataLocation: { id: 14, type: 'int32' },
  },
  ValueInfoProto: {
    name: { id: 1, type: 'string' },
    type: { id: 2, type: 'TypeProto' },
    docString: { id: 3, type: 'string' },
  },
  TypeProto: {
    tensorType: { id: 1, type: 'TensorTypeProto' },
  },
  TensorTypeProto: {
    elemType: { id: 1, type: 'int32' },
    shape: { id: 2, type: 'TensorShapeProto' },
  },
  TensorShapeProto: {
    dim: { id: 1, type: 'DimensionProto', repeated: true },
  },
  DimensionProto: {
    dimValue: { id: 1, type: 'int64' },
    dimParam: { id: 2, type: 'string' },
  },
};
