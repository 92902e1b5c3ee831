import { type Slo, type SloInput, sloInput, type SloPatch, type SloWindow } from "@sonde/proto/http/slos";
import type { ScopeValues } from "../../entities/targets/target-scope.tsx";
import { type FormError, schemaErrors } from "../../lib/form-errors.ts";
import { ownTimeZone } from "../../lib/format.ts";
import { parseTypedNumber } from "../../lib/typed.ts";

/** Figures are as typed. Without `latencyMs` there is no goal for response times. `policyId` is empty for the default. */
export type SloValues = ScopeValues & {
  name: string;
  combine: Slo["combine"];
  objective: string;
  window: SloWindow;
  timeZone: string;
  latencyMs: string;
  latencyPercent: string;
  burnAlerts: boolean;
  policyId: string;
};

export const toValues = (slo?: Slo): SloValues => ({
  name: slo?.name ?? "",
  by: slo?.tag === undefined ? "targets" : "tag",
  targets: slo?.targets?.map(({ type, id }) => ({ type, id })) ?? [],
  tag: slo?.tag ?? "",
  combine: slo?.combine ?? "worst",
  objective: String(slo?.objective ?? 99.9),
  window: slo?.window ?? "month",
  timeZone: slo?.timeZone ?? ownTimeZone(),
  latencyMs: String(slo?.latency?.ms ?? ""),
  latencyPercent: String(slo?.latency?.percent ?? 95),
  burnAlerts: slo?.burnAlerts ?? true,
  policyId: String(slo?.policyId ?? ""),
});

export function toInput({ by, targets, latencyMs, latencyPercent, policyId, ...values }: SloValues): SloInput {
  const { name, tag, objective, ...rest } = values;
  const ms = parseTypedNumber(latencyMs);
  return {
    ...rest,
    name: name.trim(),
    targets: by === "targets" && targets.length > 0 ? targets.map(({ id }) => ({ type: "monitor", id })) : undefined,
    tag: by === "tag" && tag !== "" ? tag : undefined,
    // The schema reports a missing number.
    objective: parseTypedNumber(objective) ?? NaN,
    latency: ms === undefined ? undefined : { ms, percent: parseTypedNumber(latencyPercent) ?? NaN },
    policyId: policyId === "" ? undefined : Number(policyId),
  };
}

/** `null` removes a field. */
export const toPatch = (input: SloInput): SloPatch => ({
  ...input,
  targets: input.targets ?? null,
  tag: input.tag ?? null,
  latency: input.latency ?? null,
  policyId: input.policyId ?? null,
});

/** The field of a path of the API. */
export const fieldOf = (path: string): string => {
  const [field = "", part] = path.split(".");
  return field === "latency" ? (part === "percent" ? "latencyPercent" : "latencyMs") : field;
};

export function checkValues(values: SloValues): FormError[] {
  const input = toInput(values);
  // The schema looks at these together only once all else is valid.
  const isMissing = input.targets === undefined && input.tag === undefined;
  const missing: FormError[] = isMissing ? [{ path: "targets", message: "Choose either monitors or a tag" }] : [];
  return [...missing, ...schemaErrors(sloInput, input).map((error) => ({ ...error, path: fieldOf(error.path) }))];
}
