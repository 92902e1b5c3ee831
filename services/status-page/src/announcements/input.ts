import { invalid } from "@sonde/kit/errors";
import type { TargetRefs } from "@sonde/proto/gen/events/v1/events";
import { faultsOf } from "@sonde/proto/http/reasons/issues";
import type { z } from "zod";

/** The input by the schema that the public API has too. @throws AppError `invalid` with every fault */
export function check<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const parsed = schema.safeParse(input);
  if (!parsed.success) throw invalid(faultsOf(parsed.error.issues));
  return parsed.data;
}

/** What a message names, as the public API writes it. */
export const targetsOf = (refs: TargetRefs | undefined) =>
  refs === undefined ? {} : { monitors: idsOf(refs, "monitor"), agents: idsOf(refs, "agent") };

const idsOf = ({ values }: TargetRefs, type: "monitor" | "agent") =>
  values.filter((ref) => ref.type === type).map(({ id }) => id);
