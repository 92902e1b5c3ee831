import type * as en from "../locales/en-US/index.ts";
import type { ApiError } from "./api.ts";
import { i18n } from "./i18n.ts";

export type Fallback = keyof (typeof en)["errors"];

function isApiError(error: unknown): error is ApiError {
  return typeof error === "object" && error !== null && "status" in error && "fields" in error;
}

/**
 * Returns the server's message if there is one, otherwise the catalogue's text for this call. Without a response, a
 * second line says why, so that users do not look for a mistake in their input. `Lines` renders both.
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
