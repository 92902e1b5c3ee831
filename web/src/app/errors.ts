import type * as en from "../locales/en-US/index.ts";
import type { ApiError } from "./api.ts";
import { i18n } from "./i18n.ts";

export type Fallback = keyof (typeof en)["errors"];

function isApiError(error: unknown): error is ApiError {
  return typeof error === "object" && error !== null && "status" in error && "fields" in error;
}

/**
 * The server's own words where it sent some, else the catalogue's line for this call. Without an answer the reason
 * is on a second line, so that readers do not look for the fault in what they typed; `Lines` draws both.
 */
export function errorText(error: unknown, fallback: Fallback): string {
  const fixed = i18n.t(`errors.${fallback}`);
  if (!isApiError(error)) return fixed;
  if (error.message !== null) return error.message;
  if (error.status === "offline") return `${fixed}\n${i18n.t(navigator.onLine ? "errors.away" : "errors.offline")}`;
  if (error.status === "timeout") return `${fixed}\n${i18n.t("errors.timeout")}`;
  return fixed;
}

export function statusOf(error: unknown): number | null {
  return isApiError(error) && typeof error.status === "number" ? error.status : null;
}

export function messageOf(error: unknown): string | null {
  return isApiError(error) ? error.message : null;
}

export function fieldErrorsOf(error: unknown): ApiError["fields"] {
  return isApiError(error) ? error.fields : [];
}
