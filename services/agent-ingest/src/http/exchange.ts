import type { Cidr } from "@sonde/kit/addresses";
import type { Language } from "@sonde/proto/http/messages";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Context } from "../context.ts";
import type { IntakeContext } from "../report/report.ts";

export type HttpContext = Pick<Context, "db" | "clock" | "published" | "keys" | "creators"> & {
  intake: IntakeContext;
  reportsPerMinute: number;
  trustedProxies: readonly Cidr[];
};
export type Exchange = { request: IncomingMessage; response: ServerResponse; language: Language };
export type ExchangeResponse = { status: number; body: object };
export type Handle = (ctx: HttpContext, exchange: Exchange) => Promise<ExchangeResponse>;
