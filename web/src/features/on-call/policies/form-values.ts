import { type EscalationPolicy, policyInput, type PolicyInput } from "@sonde/proto/http/on-call/policies";
import type { TFunction } from "i18next";
import { type FormError, schemaErrors } from "../../../lib/form-errors.ts";
import { parseTypedNumber, readTags } from "../../../lib/typed.ts";

/** Form values. Numbers are as typed. */
export type PolicyValues = {
  name: string;
  steps: { after: string; notify: string[]; needs: string }[];
  repeat: string;
  lowTags: string;
};

export const newStep = () => ({ after: "5", notify: [] as string[], needs: "1" });
export const emptyPolicy: PolicyValues = { name: "", steps: [newStep()], repeat: "0", lowTags: "" };

export const toValues = ({ name, steps, repeat, lowUrgency }: EscalationPolicy): PolicyValues => ({
  name,
  steps: steps.map(({ after, notify, needs }) => ({
    after: String(after),
    notify: [...notify],
    needs: String(needs),
  })),
  repeat: String(repeat),
  lowTags: lowUrgency?.tags.join(", ") ?? "",
});

const numberOf = (text: string) => parseTypedNumber(text) ?? NaN;

/** @param lowMonitors set through the API, and kept */
export function readInput({ name, steps, repeat, lowTags }: PolicyValues, lowMonitors: readonly number[]): PolicyInput {
  const low = { monitors: [...lowMonitors], tags: readTags(lowTags) };
  return {
    name,
    steps: steps.map(({ after, notify, needs }) => ({ after: numberOf(after), notify, needs: numberOf(needs) })),
    repeat: numberOf(repeat),
    lowUrgency: low.monitors.length + low.tags.length > 0 ? low : undefined,
  };
}

export function checkValues(values: PolicyValues, t: TFunction): FormError[] {
  const unreached = values.steps.flatMap(({ notify }, index) =>
    notify.length === 0 ? [{ path: `steps.${index}.notify`, text: t("policies.nobody") }] : [],
  );
  const others = schemaErrors(policyInput, readInput(values, [])).filter(
    ({ path }) => !unreached.some((error) => error.path === path),
  );
  return [...unreached, ...others.map((error) => ({ ...error, path: pathOf(error.path) ?? error.path }))];
}

/** Maps a path of the input to the form's path, or `null` if there is no such field. */
export function pathOf(path: string): string | null {
  const [head = "", step, field] = path.split(".");
  if (head === "lowUrgency") return "lowTags";
  if (head === "steps") return step === undefined ? null : `steps.${step}.${field ?? "notify"}`;
  return ["name", "repeat"].includes(head) ? head : null;
}
