import type { TargetRef as TargetRefMessage } from "@sonde/proto/gen/events/v1/events";
import type { TargetRef } from "@sonde/proto/http/targets";
import { readTargetType } from "./unions.ts";

/** Monitors and agents that something depends on, as people see them. */
export const presentTargetRefs = (refs: readonly TargetRefMessage[]): TargetRef[] =>
  refs.map(({ type, id }) => ({ type: readTargetType(type), id }));
