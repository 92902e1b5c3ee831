import { badgeKinds, type PublicStatus } from "@sonde/proto/http/status/status";
import {
  documentNames as names,
  type DocumentPart,
  outdatedName,
  pageLanguages,
  type PageSummary,
} from "@sonde/proto/http/status/documents";
import { outdatedAfterMs, type PageSnapshot, type PageStates } from "@sonde/proto/http/status/snapshot";
import { hash, randomUUID } from "node:crypto";
import { makeFeed } from "./feed.ts";
import { joinStatus } from "./join.ts";
import {
  type PageInput,
  renderConfirm,
  renderEmbed,
  renderHistory,
  renderIncident,
  renderNotice,
  renderStatus,
  renderUnsubscribe,
} from "./render.ts";
import { servingWords } from "./words/serving.ts";

/** The input of an installation's documents. */
export type DocumentsInput = {
  snapshot: PageSnapshot;
  states: PageStates;
  publicUrl: string | null;
  nowMs: number;
};
type RenderedDocument = { name: string; text: string; blanks?: Record<string, string> };

// Random, so that no text of the page is taken for one of them.
const blanks = { title: randomUUID(), text: randomUUID(), token: randomUUID() };

/** Every document of a part of the page, in both languages. */
export async function renderPart(part: DocumentPart, given: DocumentsInput): Promise<RenderedDocument[]> {
  const { snapshot, states, publicUrl, nowMs } = given;
  const status = joinStatus(snapshot, states, nowMs);
  // The gateway shows these once nothing newer has arrived for three minutes.
  const outdated = joinStatus(snapshot, states, states.atMs + outdatedAfterMs + 1);
  const inputs = pageLanguages.map((language): PageInput => ({
    status,
    page: snapshot.page,
    language,
    publicUrl,
    nowMs,
  }));
  switch (part) {
    case "json":
      return [
        { name: names.json, text: jsonOf(status) },
        { name: outdatedName(names.json), text: jsonOf(outdated) },
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
      return inputs.flatMap((input) => {
        const { language } = input;
        return [
          { name: names.of("history", language), text: renderHistory(input) },
          { name: names.of("embed", language), text: renderEmbed(input) },
          { name: names.of("missing", language), text: renderNotice(input, servingWords[language].missing) },
          { name: names.of("feed", language), text: makeFeed({ snapshot, language, publicUrl }) },
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
      });
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

const jsonOf = (status: PublicStatus): string => JSON.stringify({ success: true, status });

async function badgesOf({ page }: PageSnapshot, { monitors }: PublicStatus): Promise<RenderedDocument[]> {
  if (monitors.length === 0) return [];
  // Letter widths take 5 MiB of memory: loaded only for badges.
  const { makeStatusBadge } = await import("./badges.ts");
  return monitors.flatMap((monitor) =>
    badgeKinds.flatMap((kind) =>
      pageLanguages.flatMap((language) => {
        const text = makeStatusBadge(kind, monitor, page, language);
        return text === null ? [] : [{ name: names.badge(kind, monitor.id, language), text }];
      }),
    ),
  );
}

export function summaryOf(snapshot: PageSnapshot): PageSummary {
  const { page, groups, monitors, agents, incidents, maintenance } = snapshot;
  const shown = (targets: readonly { id: number; name: string; days: readonly { date: string }[] }[]) =>
    targets.map(({ id, name, days }) => [id, name, days.at(-1)?.date]);
  const content = [page, groups, shown(monitors), shown(agents), incidents, maintenance];
  return {
    logoUrl: page.logoUrl,
    searchable: page.searchable,
    embedOrigins: page.embedOrigins,
    monitors: monitors.map(({ id }) => id),
    agents: agents.map(({ id }) => id),
    openImpacts: incidents.flatMap(({ kind, closedAt, impact }) =>
      kind === "announced" && closedAt === undefined ? (impact ?? []) : [],
    ),
    content: hash("sha256", JSON.stringify(content), "base64url"),
  };
}
