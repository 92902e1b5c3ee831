/** A part of another service's answer that is always there, though protobuf cannot say so. */
export function present<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error("an answer came without its entity");
  return value;
}
