import { bytesField, doubleField, type Field, floatField, message, varintField } from './protobuf.ts';

/** When an event happened. */
export interface EventPosition {
  /** Unix time in seconds. */
  readonly time: number;
  readonly step: number;
}

/** The event that every file begins with. */
export function fileVersionEvent(time: number): Uint8Array {
  return event({ time, step: 0 }, bytesField(3, 'brain.Event:2'));
}

/** Says that what other files of the run hold from this step on is void. */
export function startEvent(at: EventPosition): Uint8Array {
  return event(at, bytesField(7, message([varintField(1, sessionStart)])));
}

/** Numbers by tag, each a point of a curve. */
export function scalarsEvent(at: EventPosition, values: Readonly<Record<string, number>>): Uint8Array {
  const each = Object.entries(values).map(([tag, value]) =>
    bytesField(1, message([bytesField(1, tag), floatField(2, value)])),
  );
  return event(at, bytesField(5, message(each)));
}

/** A text in Markdown, as the text plug-in shows it. */
export function textEvent(at: EventPosition, tag: string, text: string): Uint8Array {
  const metadata = message([bytesField(1, message([bytesField(1, 'text')]))]);
  const oneElement = message([bytesField(2, message([varintField(1, 1)]))]);
  const tensor = message([varintField(1, stringType), bytesField(2, oneElement), bytesField(8, text)]);
  const value = message([bytesField(1, tag), bytesField(8, tensor), bytesField(9, metadata)]);
  return event(at, bytesField(5, message([bytesField(1, value)])));
}

/** SessionLog.START and DT_STRING. */
const sessionStart = 1;
const stringType = 7;

/** Source of all field numbers: TensorFlow's event.proto, summary.proto, tensor.proto and tensor_shape.proto. */
function event({ time, step }: EventPosition, what: Field): Uint8Array {
  return message([doubleField(1, time), varintField(2, step), what]);
}
