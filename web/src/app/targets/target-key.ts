import type { TargetRef } from "@sonde/proto/http/monitors/targets";

/** A target as one text: `monitor:12`. */
export const targetKey = ({ type, id }: TargetRef) => `${type}:${id}` as const;

export const isSameTarget = (one: TargetRef, other: TargetRef | undefined) =>
  one.type === other?.type && one.id === other.id;
