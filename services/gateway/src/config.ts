import about from "../package.json" with { type: "json" };
import { common, env, readConfig as read } from "@sonde/kit/service/config";
import { maxConfigObjects } from "@sonde/proto/http/config/apply";
import { createPublicKey } from "node:crypto";
import { resolve } from "node:path";
import * as z from "zod";

export const version: string = about.version;

const builtWebApp = resolve(import.meta.dirname, "../../../web/dist");
const builtDocs = resolve(import.meta.dirname, "../../../docs/.vitepress/dist");
const builtAgents = resolve(import.meta.dirname, "../../../agent/dist");
const exampleUrl = (path: string) => env.httpUrl().default(`https://example.com/${path}`);

export const schema = z
  .object({
    ...common,
    HOST: z.string().default("127.0.0.1"),
    PORT: env.port(8080),
    PUBLIC_URL: env.publicUrl(),
    TRUSTED_PROXIES: env.cidrs(),
    MONITOR_MIN_INTERVAL_SECONDS: env.number(60, { min: 1 }),
    FOOTER_BLOG_URL: exampleUrl("blog"),
    FOOTER_VIDEO_URL: exampleUrl("video"),
    FOOTER_MAIL_URL: exampleUrl("mail"),
    /** Without it, agents get 503. */
    AGENT_INGEST_URL: env.httpUrl().optional(),
    /** By default the gateway's own `/downloads`, served from AGENT_DOWNLOAD_DIR. */
    AGENT_DOWNLOAD_URL: env.httpUrl().optional(),
    AGENT_DOWNLOAD_DIR: z.string().optional(),
    /** Verifies the signature of the archives' checksums; required with AGENT_DOWNLOAD_URL. */
    AGENT_DOWNLOAD_KEY: z
      .string()
      .refine(
        (text) => toSpki(text) !== null,
        "must be a public key on P-256, in base64 as `npm run build:agent` prints it",
      )
      .optional(),
    SONDE_CONFIG_DIR: z.string().optional(),
    SONDE_CONFIG_ALLOW_DELETE: env.int(0, { min: 0, max: maxConfigObjects }),
    WEB_DIST: z.string().default(builtWebApp),
    DOCS_DIST: z.string().default(builtDocs),
    /** How long startup waits for other services before listening; by default only locally. */
    GATEWAY_WAIT_SECONDS: z.coerce.number().min(0).max(600).optional(),
    /** How long shutdown keeps serving while unready, so that load balancers move traffic first. */
    GATEWAY_UNREADY_SECONDS: env.number(0, { max: 20 }),
    GATEWAY_MAX_STREAMS: env.int(10_000, { min: 1 }),
    GATEWAY_MAX_STREAMS_PER_USER: env.int(20, { min: 1 }),
    /** Streams of public pages. Many visitors may share one address. */
    GATEWAY_MAX_PUBLIC_STREAMS_PER_ADDRESS: env.int(50, { min: 1 }),
  })
  .transform((values) => ({
    NATS_URL: values.NATS_URL,
    NATS_STREAM_REPLICAS: values.NATS_STREAM_REPLICAS,
    OPS_PORT: values.OPS_PORT,
    LOG_LEVEL: values.LOG_LEVEL,
    OTEL_EXPORTER_OTLP_ENDPOINT: values.OTEL_EXPORTER_OTLP_ENDPOINT,
    SONDE_LOCAL: values.SONDE_LOCAL,
    host: values.HOST,
    port: values.PORT,
    /** Without a trailing slash; `null` if not configured. */
    publicUrl: values.PUBLIC_URL?.replace(/\/+$/, "") ?? null,
    trustedProxies: values.TRUSTED_PROXIES,
    minIntervalMinutes: values.MONITOR_MIN_INTERVAL_SECONDS / 60,
    footerLinks: { blog: values.FOOTER_BLOG_URL, video: values.FOOTER_VIDEO_URL, mail: values.FOOTER_MAIL_URL },
    agentIngestUrl: values.AGENT_INGEST_URL ?? null,
    agentDownloadUrl: values.AGENT_DOWNLOAD_URL?.replace(/\/+$/, "") ?? null,
    agentDownloadDir: values.AGENT_DOWNLOAD_DIR || builtAgents,
    agentDownloadKey: values.AGENT_DOWNLOAD_KEY === undefined ? null : toSpki(values.AGENT_DOWNLOAD_KEY),
    configDir: values.SONDE_CONFIG_DIR || null,
    configAllowDelete: values.SONDE_CONFIG_ALLOW_DELETE,
    webDist: values.WEB_DIST,
    docsDist: values.DOCS_DIST,
    waitSeconds: values.GATEWAY_WAIT_SECONDS ?? (values.SONDE_LOCAL ? 30 : 0),
    unreadySeconds: values.GATEWAY_UNREADY_SECONDS,
    maxStreams: values.GATEWAY_MAX_STREAMS,
    maxStreamsPerUser: values.GATEWAY_MAX_STREAMS_PER_USER,
    maxPublicStreamsPerAddress: values.GATEWAY_MAX_PUBLIC_STREAMS_PER_ADDRESS,
  }));

export type Config = z.output<typeof schema>;

/** @throws ConfigError listing every invalid variable */
export function readConfig(environment: NodeJS.ProcessEnv = process.env): Config {
  return read(schema, environment);
}

/** Converts a P-256 public key, in PEM or base64, to base64 SubjectPublicKeyInfo; `null` if invalid. */
export function toSpki(text: string): string | null {
  try {
    const isPem = text.includes("-----");
    const key = createPublicKey(isPem ? text : { key: Buffer.from(text, "base64"), format: "der", type: "spki" });
    if (key.asymmetricKeyDetails?.namedCurve !== "prime256v1") return null;
    return key.export({ type: "spki", format: "der" }).toString("base64");
  } catch {
    return null;
  }
}
