import type { Extraction, FlowStep } from "@sonde/proto/http/monitors/checks/flow";
import type { CheckOf } from "@sonde/proto/http/monitors/kinds";
import { withScheme } from "../../../../lib/typed.ts";
import { emptyHttp, filledHeaders, readAssertion, readStatus, showAssertion } from "../http/values.ts";
import { emptyTls, readTls, showTls } from "../server/values.ts";

export type ExtractValues = Pick<Extraction, "name" | "source"> & { property: string };
export const emptyExtract: ExtractValues = { name: "", source: "json", property: "" };

const { url, method, expectedStatus, headers, body, assertions } = emptyHttp;
export const emptyStep = {
  name: "",
  url,
  method,
  expectedStatus,
  headers,
  body,
  assertions,
  extract: [] as ExtractValues[],
};
export type StepValues = typeof emptyStep;

export const emptyFlow = { steps: [emptyStep], followRedirects: true, ...emptyTls };
export type FlowValues = typeof emptyFlow;
export type FlowForm = { flow: FlowValues };

export const showFlow = ({ steps, followRedirects, ...tls }: CheckOf<"flow">): FlowValues => ({
  steps: steps.map(showStep),
  followRedirects,
  ...showTls(tls),
});

const showStep = (step: FlowStep): StepValues => ({
  name: step.name ?? "",
  url: step.url,
  method: step.method,
  expectedStatus: String(step.expectedStatus),
  headers: step.headers.map(({ name, value }) => ({ name, value })),
  body: step.body ?? "",
  assertions: step.assertions.map(showAssertion),
  extract: step.extract.map(({ property = "", ...rest }) => ({ ...rest, property })),
});

export const readFlow = ({ steps, followRedirects, ...tls }: FlowValues) => ({
  type: "flow" as const,
  steps: steps.map(readStep),
  followRedirects,
  ...readTls(tls),
});

const readStep = ({ name, body: typed, ...step }: StepValues) => ({
  ...step,
  ...(name.trim() !== "" && { name }),
  ...(typed !== "" && { body: typed }),
  url: withScheme(step.url),
  expectedStatus: readStatus(step.expectedStatus),
  assertions: step.assertions.map(readAssertion),
  extract: step.extract.map(({ property, ...rest }) =>
    rest.source === "status" ? rest : { ...rest, property: property.trim() },
  ),
});

/** Completes the addresses, and leaves out empty headers. */
export function tidyFlow({ steps }: FlowValues): Partial<FlowValues> {
  const tidy = steps.map((step) => ({
    ...step,
    url: withScheme(step.url),
    headers: filledHeaders(step.headers),
  }));
  // Rows that are set are drawn afresh.
  return JSON.stringify(tidy) === JSON.stringify(steps) ? {} : { steps: tidy };
}
