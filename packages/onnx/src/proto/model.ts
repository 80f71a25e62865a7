/** The version of the file format that is written: the newest that onnxruntime 1.18 and later read. */
export const irVersion = 10;

/** The version of the operators: in 18 and later the axes of a reduction are an input, as WebGPU wants them. */
export const opsetVersion = 21;

/** Who wrote the file. */
export const producerName = 'fuzzqe';

/**
 * The messages of the ONNX intermediate representation that FuzzQE writes and reads, as plain objects.
 *
 * Names are those of onnx.proto in camel case. Fields that ONNX lets a file leave out are optional; repeated fields
 * are always there. Fields of ONNX that do not appear here are skipped when a file is read.
 * Source: https://github.com/onnx/onnx/blob/main/onnx/onnx.proto
 */

/** A whole file: a graph with the versions it was written for. */
export interface OnnxModel {
  readonly irVersion?: number;
  readonly producerName?: string;
  readonly producerVersion?: string;
  readonly domain?: string;
  readonly modelVersion?: number;
  readonly docString?: string;
  readonly graph?: OnnxGraph;
  readonly opsetImport: readonly OnnxOperatorSet[];
  readonly metadataProps: readonly OnnxEntry[];
}

/** A version of a set of operators. */
export interface OnnxOperatorSet {
  readonly domain?: string;
  readonly version?: number;
}

/** A text under a key. */
export interface OnnxEntry {
  readonly key?: string;
  readonly value?: string;
}

/** Nodes in an order in which they can run, with what enters and leaves. */
export interface OnnxGraph {
  readonly node: readonly OnnxNode[];
  readonly name?: string;
  readonly initializer: readonly OnnxTensor[];
  readonly docString?: string;
  readonly input: readonly OnnxValueInfo[];
  readonly output: readonly OnnxValueInfo[];
  readonly valueInfo: readonly OnnxValueInfo[];
}

/** One call of an operator; an empty input name stands for an optional input that is left out. */
export interface OnnxNode {
  readonly input: readonly string[];
  readonly output: readonly string[];
  readonly name?: string;
  readonly opType?: string;
  readonly attribute: readonly OnnxAttribute[];
  readonly docString?: string;
  readonly domain?: string;
}

/** A constant of a node; `type` says which of the other fields holds it. */
export interface OnnxAttribute {
  readonly name?: string;
  readonly f?: number;
  readonly i?: number;
  readonly s?: Uint8Array;
  readonly t?: OnnxTensor;
  readonly g?: OnnxGraph;
  readonly floats: readonly number[];
  readonly ints: readonly number[];
  readonly type?: number;
}

/** Numbers: in `rawData`, or in another file that `externalData` points to. */
export interface OnnxTensor {
  readonly dims: readonly number[];
  readonly dataType?: number;
  readonly name?: string;
  readonly rawData?: Uint8Array;
  readonly docString?: string;
  readonly externalData: readonly OnnxEntry[];
  readonly dataLocation?: number;
}

/** A name with its type. */
export interface OnnxValueInfo {
  readonly name?: string;
  readonly type?: OnnxType;
  readonly docString?: string;
}

/** The type of a value; FuzzQE knows tensors only. */
export interface OnnxType {
  readonly tensorType?: OnnxTensorType;
}

/** The kind of numbers of a tensor and its dimensions. */
export interface OnnxTensorType {
  readonly elemType?: number;
  readonly shape?: OnnxShape;
}

/** The dimensions of a tensor. */
export interface OnnxShape {
  readonly dim: readonly OnnxDimension[];
}

/** A number, or the name of a dimension that is known only when the graph runs. */
export interface OnnxDimension {
  readonly dimValue?: number;
  readonly dimParam?: string;
}

/** Every message under its name in onnx.proto. */
export interface OnnxMessages {
  readonly ModelProto: OnnxModel;
  readonly OperatorSetIdProto: OnnxOperatorSet;
  readonly StringStringEntryProto: OnnxEntry;
  readonly GraphProto: OnnxGraph;
  readonly NodeProto: OnnxNode;
  readonly AttributeProto: OnnxAttribute;
  readonly TensorProto: OnnxTensor;
  readonly ValueInfoProto: OnnxValueInfo;
  readonly TypeProto: OnnxType;
  readonly TensorTypeProto: OnnxTensorType;
  readonly TensorShapeProto: OnnxShape;
  readonly DimensionProto: OnnxDimension;
}
