import {
  type BaseQueryFn,
  createApi,
  fetchBaseQuery,
  type FetchArgs,
  type FetchBaseQueryError,
} from "@reduxjs/toolkit/query/react";
import { ownAddress } from "../lib/base-path.ts";
import { currentLanguage } from "./i18n.ts";
import { sessionEnded, sessionIn } from "./session.ts";
import type { z } from "zod";

/** Error of a failed call. `message` is the server's text. If it is `null`, show the fallback text. */
export type ApiError = {
  status: number | "timeout" | "offline";
  message: string | null;
  fields: FieldError[];
};
type FieldError = { path: string; message: string };

export const apiBase = `${ownAddress}/api`;

/** Timeout for requests that set none. */
const requestTimeoutMs = 10_000;

/** `keepSessionOn401`: the form shows a rejected login itself. Every other 401 ends the session. */
type Extra = { keepSessionOn401?: boolean };

const rawBaseQuery = fetchBaseQuery({
  baseUrl: apiBase,
  prepareHeaders: (headers, { getState }) => {
    const { token } = sessionIn(getState());
    if (token !== null) headers.set("authorization", `Bearer ${token}`);
    headers.set("accept-language", currentLanguage());
    return headers;
  },
});

const baseQuery: BaseQueryFn<string | FetchArgs, unknown, ApiError, Extra> = async (args, api, extra) => {
  const request = typeof args === "string" ? { url: args } : args;
  const tokenAtStart = sessionIn(api.getState()).token;
  const answer = await rawBaseQuery({ timeout: requestTimeoutMs, ...request }, api, {});
  if (answer.error !== undefined) {
    const error = readError(answer.error);
    const { token } = sessionIn(api.getState());
    // A late 401 of an earlier session must not end the current one.
    if (error.status === 401 && extra?.keepSessionOn401 !== true && token === tokenAtStart)
      api.dispatch(sessionEnded("expired"));
    return { error };
  }
  return isObject(answer.data) && answer.data["success"] === true
    ? { data: answer.data }
    : { error: readBody(200, answer.data) };
};

function readError(error: FetchBaseQueryError): ApiError {
  if (error.status === "TIMEOUT_ERROR") return { status: "timeout", message: null, fields: [] };
  if (error.status === "FETCH_ERROR") return { status: "offline", message: null, fields: [] };
  if (error.status === "PARSING_ERROR") return readBody(error.originalStatus, null);
  if (error.status === "CUSTOM_ERROR") return readBody(0, null);
  return readBody(error.status, error.data);
}

function readBody(status: number, body: unknown): ApiError {
  const { message, errors } = isObject(body) ? body : {};
  return {
    status,
    message: typeof message === "string" && message !== "" ? message : null,
    fields: Array.isArray(errors) ? errors.filter(isFieldError) : [],
  };
}

function isObject(value: unknown): value is Partial<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

function isFieldError(value: unknown): value is FieldError {
  return isObject(value) && typeof value["path"] === "string" && typeof value["message"] === "string";
}

/** Data that live events keep up to date. After a gap in the stream all of it is fetched again. */
export const liveTags = [
  "Agent",
  "AgentIncidents",
  "AgentList",
  "AgentMetrics",
  "Channels",
  "Checks",
  "Dashboard",
  "Deliveries",
  "History",
  "Incident",
  "IncidentList",
  "Incidents",
  "Monitor",
  "MonitorList",
  "NotificationSettings",
  "RecentChecks",
] as const;
export type LiveTag = (typeof liveTags)[number];

export const api = createApi({
  baseQuery,
  tagTypes: [
    ...liveTags,
    "AgentTokens",
    "Config",
    "Factors",
    "Keys",
    "Locations",
    "PendingUsers",
    "PingKey",
    "Policies",
    "Providers",
    "ServiceAccounts",
    "Sessions",
    "Templates",
    "User",
    "UserList",
  ],
  endpoints: () => ({}),
  keepUnusedDataFor: 60,
});

const { injectEndpoints } = api;
/**
 * A second endpoint of the same name would be ignored, and its hook would call the first one. RTK Query reports that only
 * if NODE_ENV is "development", which neither browsers nor tests have.
 */
api.injectEndpoints = ((options: Parameters<typeof injectEndpoints>[0]): unknown =>
  injectEndpoints({ ...options, overrideExisting: "throw" })) as typeof injectEndpoints;

/** Content of a successful response. A type only, since importing zod would add a tenth to the first page. */
export type AnswerOf<Schema extends z.ZodType<{ success: true }>> = Omit<z.output<Schema>, "success">;

/** Query parameters of a list, derived from its schema in `proto/http`. All are optional. */
export type QueryOf<Schema extends z.ZodType> = Partial<z.output<Schema>>;
