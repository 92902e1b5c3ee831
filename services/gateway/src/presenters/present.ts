/** A part of another service's answer that is always present, though protobuf cannot require it. */
export function present<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error("an answer came without its entity");
  return value;
}
