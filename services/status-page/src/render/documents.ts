import {
  type DocumentPart,
  documentParts,
  type DocumentsHeader,
  type PageLanguage,
  documentNames as names,
  outdatedName,
  pageLanguages,
  type PageSummary,
  type PublishedPart,
} from "@sonde/proto/http/status/documents";
import {
  defaultSlug,
  pageSnapshot,
  type PageSnapshot,
  type PageStates,
  outdatedAfterMs,
  isOutdated,
  updatedAtOf,
} from "@sonde/proto/http/status/snapshot";
import { hash, randomUUID } from "node:crypto";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { badgeKinds, type PublicStatus, overallState, type PublicState } from "@sonde/proto/http/status/status";
import {
  renderStatus,
  type PageInput,
  renderConfirm,
  renderEmbed,
  renderHistory,
  renderIncident,
  renderNotice,
  renderUnsubscribe,
} from "./render.ts";
import type { StoredImage } from "../pages/images.ts";
import { makeFeed } from "./feed.ts";
import { renderNeutral } from "./neutral.ts";
import { sharedLogoOf, words } from "./view.ts";

/** `page`: the snapshot's JSON. */
type PageJob = {
  /** Defaults to the default page. */
  slug?: string | undefined;
  page: string;
  states: PageStates;
  publicUrl: string | null;
  nowMs: number;
};
/** `written`: hashes of the parts that need no rendering. */
export type PartsJob = PageJob & { written: Partial<Record<PublishedPart, string>> };
export type PreviewJob = PageJob & { language: PageLanguage };
export type RenderJob = PartsJob | PreviewJob;
export type PackedPart = { part: PublishedPart; hash: string; bytes: Uint8Array };
/** The parts that changed, or the gzipped HTML of a preview. */
export type RenderAnswer = { parts: PackedPart[]; html: Uint8Array };

const maxSnapshots = 8;

/** Creates a renderer that keeps the latest snapshots parsed, because templates cache their output by them. */
export function createRenderJobs(): (job: RenderJob) => Promise<RenderAnswer> {
  const parsed = new Map<string, { text: string; snapshot: PageSnapshot }>();
  const snapshotOf = ({ slug = defaultSlug, page: text }: PageJob): PageSnapshot => {
    const known = parsed.get(slug);
    const found = known?.text === text ? known : { text, snapshot: readSnapshot(text) };
    parsed.delete(slug);
    parsed.set(slug, found);
    if (parsed.size > maxSnapshots) parsed.delete(parsed.keys().next().value!);
    return found.snapshot;
  };

  return async (job) => {
    if ("language" in job) {
      const { language, states, publicUrl, nowMs, slug } = job;
      const snapshot = readSnapshot(job.page);
      const status = joinStatus(snapshot, states, nowMs);
      const input = { status, page: snapshot.page, language, publicUrl, nowMs, slug, isPreview: true };
      return { parts: [], html: gzipSync(renderStatus(input)) };
    }
    const snapshot = snapshotOf(job);
    const parts: PackedPart[] = [];
    for (const part of documentParts) {
      const summary = part === "page" ? summaryOf(snapshot) : undefined;
      const raw = pack(await renderPart(part, snapshot, job), summary);
      const sum = hash("sha256", raw, "base64url");
      if (sum !== job.written[part]) parts.push({ part, hash: sum, bytes: compress(raw) });
    }
    return { parts, html: new Uint8Array() };
  };
}

/** Drops unknown keys, so none can appear in a document. */
const readSnapshot = (text: string): PageSnapshot =>
  pageSnapshot.parse({ revision: 0, ...(JSON.parse(text) as object) });

function pack(documents: readonly RenderedDocument[], summary?: PageSummary): Buffer {
  const bodies = documents.map(({ text }) => (typeof text === "string" ? Buffer.from(text) : text));
  const header: DocumentsHeader = {
    summary,
    documents: documents.map(({ name, blanks, type }, at) => ({
      name,
      etag: hash("sha256", bodies[at]!, "base64url").slice(0, 22),
      sizeBytes: bodies[at]!.length,
      blanks,
      type,
    })),
  };
  return Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), ...bodies]);
}

/** Uses a window of the whole input, up to 16 MB, since variants of a document are mostly alike. */
const compress = (raw: Buffer): Uint8Array =>
  brotliCompressSync(raw, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: 5,
      [constants.BROTLI_PARAM_LGWIN]: Math.min(24, Math.max(16, Math.ceil(Math.log2(raw.length)))),
      [constants.BROTLI_PARAM_SIZE_HINT]: raw.length,
    },
  });

type RenderedDocument = { name: string; text: string | Buffer; blanks?: Record<string, string>; type?: string };

// Random, so no text of the page equals one of them.
const blanks = { title: randomUUID(), text: randomUUID(), token: randomUUID() };

async function renderPart(
  part: DocumentPart,
  snapshot: PageSnapshot,
  { states, publicUrl, nowMs, slug }: PageJob,
): Promise<RenderedDocument[]> {
  const status = joinStatus(snapshot, states, nowMs);
  // The gateway shows these after three minutes without an update.
  const outdated = joinStatus(snapshot, states, states.atMs + outdatedAfterMs + 1);
  const inputs = snapshot.page.languages.map((language): PageInput => ({
    status,
    page: snapshot.page,
    language,
    publicUrl,
    nowMs,
    slug,
  }));
  switch (part) {
    case "json":
      return [
        { name: names.json, text: jsonOf(withLogo(status, inputs[0]!)) },
        { name: outdatedName(names.json), text: jsonOf(withLogo(outdated, inputs[0]!)) },
      ];
    case "page":
      return inputs.flatMap((input) => {
        const name = names.of("page", input.language);
        return [
          { name, text: renderStatus(input) },
          { name: outdatedName(name), text: renderStatus({ ...input, status: outdated }) },
        ];
      });
    case "others":
      return [
        ...styleOf(snapshot),
        ...inputs.flatMap((input) => {
          const { language } = input;
          return [
            { name: names.of("history", language), text: renderHistory(input) },
            { name: names.of("embed", language), text: renderEmbed(input) },
            { name: names.of("missing", language), text: renderNotice(input, words[language].missing) },
            { name: names.of("feed", language), text: makeFeed({ snapshot, language, publicUrl, slug }) },
            {
              name: names.of("notice", language),
              text: renderNotice(input, blanks),
              blanks: { title: blanks.title, text: blanks.text },
            },
            ...(["confirm", "unsubscribe"] as const).map((kind) => ({
              name: names.of(kind, language),
              text: (kind === "confirm" ? renderConfirm : renderUnsubscribe)(input, blanks.token),
              blanks: { token: blanks.token },
            })),
          ];
        }),
      ];
    case "incidents":
      return status.incidents.flatMap((incident) =>
        inputs.map((input) => ({
          name: names.incident(incident.id, input.language),
          text: renderIncident(input, incident),
        })),
      );
    case "badges":
      return badgesOf(snapshot, status);
    default:
      return part satisfies never;
  }
}

const styleOf = ({ page: { css } }: PageSnapshot): RenderedDocument[] =>
  css === "" ? [] : [{ name: names.style, text: css }];

/** Packs the documents of locked and missing pages as a part. The gateway fills in their blanks. */
export const packNeutral = (): Uint8Array =>
  compress(
    pack(
      pageLanguages.flatMap((language) =>
        renderNeutral(language).map(({ kind, ...document }) => ({ name: names.of(kind, language), ...document })),
      ),
    ),
  );

const withLogo = (status: PublicStatus, input: PageInput): PublicStatus => ({
  ...status,
  logoUrl: sharedLogoOf(input) ?? undefined,
});

export const packImages = (images: readonly StoredImage[]): Uint8Array =>
  compress(pack(images.map(({ id, type, bytes }) => ({ name: names.image(id), text: bytes, type }))));

const jsonOf = (status: PublicStatus): string => JSON.stringify({ success: true, status });

async function badgesOf({ page }: PageSnapshot, { monitors }: PublicStatus): Promise<RenderedDocument[]> {
  if (monitors.length === 0) return [];
  // Loaded only for badges, since letter widths take 5 MiB of memory.
  const { makeStatusBadge } = await import("./badges.ts");
  return monitors.flatMap((monitor) =>
    badgeKinds.flatMap((kind) =>
      page.languages.flatMap((language) => {
        const text = makeStatusBadge(kind, monitor, page, language);
        return text === null ? [] : [{ name: names.badge(kind, monitor.id, language), text }];
      }),
    ),
  );
}

function summaryOf(snapshot: PageSnapshot): PageSummary {
  const { page, groups, monitors, agents, incidents, maintenance } = snapshot;
  const shown = (targets: readonly { id: number; name: string; days: readonly { date: string }[] }[]) =>
    targets.map(({ id, name, days }) => [id, name, days.at(-1)?.date]);
  const content = [page, groups, shown(monitors), shown(agents), incidents, maintenance];
  return {
    logoUrl: page.logo === null ? page.logoUrl : null,
    searchable: page.searchable,
    embedOrigins: page.embedOrigins,
    languages: page.languages,
    hasImages: page.css.includes("data:image/"),
    monitors: monitors.map(({ id }) => id),
    agents: agents.map(({ id }) => id),
    openImpacts: incidents.flatMap(({ kind, closedAt, impact }) =>
      kind === "announced" && closedAt === undefined ? (impact ?? []) : [],
    ),
    content: hash("sha256", JSON.stringify(content), "base64url"),
  };
}

/** Joins the snapshot with the current states. `nowMs`: epoch milliseconds. */
export function joinStatus(snapshot: PageSnapshot, states: PageStates, nowMs: number): PublicStatus {
  const { title, description, logoUrl, theme } = snapshot.page;
  const monitors = snapshot.monitors.map((monitor) => ({ ...monitor, ...present(states.monitors[monitor.id]) }));
  const agents = snapshot.agents.map((agent) => ({ ...agent, ...present(states.agents[agent.id]) }));
  const open = snapshot.incidents.filter(({ kind, closedAt }) => kind === "announced" && closedAt === undefined);
  const shown: PublicState[] = [...monitors, ...agents].map(({ status }) => status);
  return {
    title,
    description,
    ...(logoUrl === null ? {} : { logoUrl }),
    theme,
    state: overallState(
      shown,
      open.flatMap(({ impact }) => impact ?? []),
    ),
    updatedAt: updatedAtOf(states),
    outdated: isOutdated(states, nowMs),
    groups: snapshot.groups,
    monitors,
    agents,
    incidents: snapshot.incidents,
    maintenance: snapshot.maintenance,
  };
}

/** A target without a reported state is unknown. */
function present<Status extends PublicState>(state: { status: Status; sinceMs: number } | undefined) {
  if (state === undefined) return { status: "unknown" as const };
  return { status: state.status, since: new Date(state.sinceMs).toISOString() };
}
