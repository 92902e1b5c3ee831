import {
  type BaseQueryFn,
  createApi,
  fetchBaseQuery,
  type FetchArgs,
  type FetchBaseQueryError,
} from "@reduxjs/toolkit/query/react";
import type { ErrorCode } from "@sonde/proto/http/envelope";
import { apiBase } from "./api-base.ts";
import { currentLanguage } from "./language.ts";
import { sessionEnded, type SessionState } from "./session.ts";

/** What a screen may need of a failed call. `message` is the server's, fit to show; null: use the fallback. */
export type ApiError = {
  status: number | "timeout" | "offline";
  code: ErrorCode | null;
  message: string | null;
  fields: { path: string; message: string }[];
};

export const requestTimeoutMs = 10_000;

type Extra = {
  /** A refused login is shown in place; every other 401 ends the session. */
  keepSessionOn401?: boolean;
  /** Left out of errors that end a session because the caller handles them. */
  timeoutMs?: number;
};

const rawBaseQuery = fetchBaseQuery({
  baseUrl: apiBase,
  prepareHeaders: (headers, { getState }) => {
    const { token } = (getState() as { session: SessionState }).session;
    if (token !== null) headers.set("authorization", `Bearer ${token}`);
    headers.set("accept-language", currentLanguage());
    return headers;
  },
});

const baseQuery: BaseQueryFn<string | FetchArgs, unknown, ApiError, Extra> = async (args, api, extra) => {
  const request = typeof args === "string" ? { url: args } : args;
  const tokenAtStart = (api.getState() as { session: SessionState }).session.token;
  const answer = await rawBaseQuery({ timeout: extra?.timeoutMs ?? requestTimeoutMs, ...request }, api, {});
  if (answer.error !== undefined) {
    const error = readError(answer.error);
    const { token } = (api.getState() as { session: SessionState }).session;
    // A late 401 of an earlier session must not end the present one.
    if (error.status === 401 && extra?.keepSessionOn401 !== true && token === tokenAtStart)
      api.dispatch(sessionEnded());
    return { error };
  }
  if ((answer.data as { success?: unknown } | null)?.success !== true) return { error: readBody(200, answer.data) };
  return { data: answer.data };
};

/** Turns whatever fetchBaseQuery reports into the one shape that screens read. */
export function readError(error: FetchBaseQueryError): ApiError {
  if (error.status === "TIMEOUT_ERROR") return { status: "timeout", code: null, message: null, fields: [] };
  if (error.status === "FETCH_ERROR") return { status: "offline", code: null, message: null, fields: [] };
  if (error.status === "PARSING_ERROR") return readBody(error.originalStatus, null);
  if (error.status === "CUSTOM_ERROR") return readBody(0, null);
  return readBody(error.status, error.data);
}

function readBody(status: number, body: unknown): ApiError {
  const failure = (typeof body === "object" && body !== null ? body : {}) as Partial<Record<string, unknown>>;
  const fields = Array.isArray(failure["errors"]) ? (failure["errors"] as ApiError["fields"]) : [];
  const message = typeof failure["message"] === "string" && failure["message"] !== "" ? failure["message"] : null;
  const code = typeof failure["code"] === "string" ? (failure["code"] as ErrorCode) : null;
  return { status, code, message, fields };
}

export const api = createApi({
  baseQuery,
  tagTypes: [
    "Monitor",
    "MonitorList",
    "RecentChecks",
    "History",
    "Checks",
    "Incidents",
    "Dashboard",
    "Config",
    "Locations",
  ],
  endpoints: () => ({}),
  keepUnusedDataFor: 60,
});
