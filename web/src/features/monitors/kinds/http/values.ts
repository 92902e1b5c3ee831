import type { Assertion, AssertionOp, AssertionSource } from "@sonde/proto/http/monitors/assertions";
import type { HttpMethod } from "@sonde/proto/http/monitors/checks/http";
import type { CheckOf } from "@sonde/proto/http/monitors/kinds";
import { withScheme, readNumber } from "../../../../lib/typed.ts";
import type { KeyValue } from "../../../../ui/key-value-editor.tsx";

export type AssertionValues = {
  source: AssertionSource;
  property: string;
  op: AssertionOp;
  value: string;
  /** The value was stored as a number: it stays one as long as it reads as one. */
  isNumber?: boolean;
};

export type HttpValues = {
  url: string;
  method: HttpMethod;
  expectedStatus: string;
  headers: KeyValue[];
  body: string;
  followRedirects: boolean;
  verifyTls: boolean;
  assertions: AssertionValues[];
  minDaysLeft: string;
};
export type HttpForm = { http: HttpValues };

export const emptyHttp: HttpValues = {
  url: "",
  method: "GET",
  expectedStatus: "200",
  headers: [],
  body: "",
  followRedirects: true,
  verifyTls: true,
  assertions: [],
  minDaysLeft: "",
};

export function showHttp(check: CheckOf<"http">): HttpValues {
  return {
    url: check.url,
    method: check.method,
    expectedStatus: String(check.expectedStatus),
    headers: check.headers.map(({ name, value }) => ({ name, value })),
    body: check.body ?? "",
    followRedirects: check.followRedirects,
    verifyTls: check.verifyTls,
    assertions: check.assertions.map(({ source, property = "", op, value = "" }) => ({
      source,
      op,
      property,
      value: String(value),
      ...(typeof value === "number" && { isNumber: true }),
    })),
    minDaysLeft: String(check.minDaysLeft ?? ""),
  };
}

export function readHttp(values: HttpValues) {
  return {
    type: "http" as const,
    url: withScheme(values.url),
    method: values.method,
    expectedStatus: readStatus(values.expectedStatus),
    headers: values.headers,
    body: values.body === "" ? null : values.body,
    followRedirects: values.followRedirects,
    verifyTls: values.verifyTls,
    assertions: values.assertions.map(readAssertion),
    minDaysLeft: readNumber(values.minDaysLeft) ?? null,
  };
}

function readStatus(text: string): string | number {
  const trimmed = text.trim();
  if (trimmed === "") return 200;
  return /^\d+$/.test(trimmed) ? Number(trimmed) : trimmed;
}

function readAssertion({ source, property, op, value, ...stored }: AssertionValues): Assertion {
  const isNumber = stored.isNumber || op === "lessThan" || op === "greaterThan" || source === "latency";
  const text = value.trim();
  return {
    source,
    op,
    ...(source === "header" || source === "json" ? { property: property.trim() } : {}),
    ...(op === "exists" || text === ""
      ? {}
      : { value: isNumber && Number.isFinite(Number(text)) ? Number(text) : value }),
  };
}

/** Completes the address, and leaves out empty headers. */
export function tidyHttp({ url, headers }: HttpValues): Pick<HttpValues, "url" | "headers"> {
  return {
    url: withScheme(url),
    headers: headers.filter(({ name, value }) => name.trim() !== "" || value.trim() !== ""),
  };
}
