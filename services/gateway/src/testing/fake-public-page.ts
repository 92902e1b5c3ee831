import { systemClock, type TimerClock } from "@sonde/kit/time/clock";
import type { PageAccess } from "@sonde/proto/http/status/access";
import { defaultSlug, type PageSnapshot, type PageStates } from "@sonde/proto/http/status/snapshot";
import { packDocuments, packImages, type StoredImage } from "@sonde/status-page/testing/documents";
import { fakeSnapshot, fakeStates } from "@sonde/status-page/testing/snapshot";
import { gzipSync } from "node:zlib";
import type { Deps } from "../deps.ts";
import { createStreamCount } from "../events/broadcast.ts";
import { readAccess } from "../status/access.ts";
import { createStatusStreams } from "../status/streams.ts";
import { createStatusView, type StatusDocument, type StatusPages, type StatusView } from "../status/view.ts";

export type FakeView = StatusView & {
  /** Applies a newer page as if from the bus; omitted parts stay. */
  publish(news: { snapshot?: PageSnapshot; states?: PageStates; images?: StoredImage[] }): Promise<void>;
  /** Applies states whose documents have not arrived yet. */
  publishStates(states: PageStates): Promise<void>;
  /** Sets who may read the page; `null` deletes it. */
  allow(access: Partial<PageAccess> | null): void;
};

/** A view that is empty until a test publishes to it. */
export function fakeView({
  clock = systemClock,
  publicUrl = null,
  slug = defaultSlug,
}: Pick<Options, "clock" | "publicUrl"> & { slug?: string } = {}): FakeView {
  const { applyPart, applyStates, setAccess, ...view } = createStatusView(clock);
  let snapshot = fakeSnapshot;
  let states = fakeStates;
  return {
    ...view,
    allow: (access) => setAccess(access === null ? null : readAccess(slug, packAccess(access))),
    publishStates: (news) => applyStates(gzipSync(JSON.stringify(news))),
    publish: async (news) => {
      ({ snapshot = snapshot, states = states } = news);
      if (news.states !== undefined) await applyStates(gzipSync(JSON.stringify(states)));
      if (news.images !== undefined) await applyPart("images", packImages(news.images));
      for (const { part, bytes } of await packDocuments({ snapshot, states, publicUrl })) await applyPart(part, bytes);
    },
  };
}

export const fakeKey = Buffer.alloc(32, 7).toString("base64");
export const packAccess = (access: Partial<PageAccess>): Buffer =>
  Buffer.from(
    JSON.stringify({ revision: 1, mode: "public", hosts: [], links: [], allowFrom: [], key: fakeKey, ...access }),
  );

type Options = {
  view?: FakeView;
  /** Pages in addition to the default one. */
  others?: Record<string, FakeView>;
  neutral?: ReadonlyMap<string, StatusDocument>;
  clock?: TimerClock;
  publicUrl?: string | null;
  maxPerAddress?: number;
  maxStreams?: number;
};

/** The default page with one working service, unless a test passes its own view, and the pages in `others`. */
export async function fakePublicPage(options: Options = {}): Promise<Deps["status"] & { view: FakeView }> {
  const { clock = systemClock, maxPerAddress = 50, maxStreams = 100, others, neutral } = options;
  const view = options.view ?? fakeView(options);
  if (options.view === undefined) await view.publish({ snapshot: fakeSnapshot, states: fakeStates });
  const views = new Map([[defaultSlug, view], ...Object.entries(others ?? { acme: acmePage() })]);
  const pages: StatusPages = {
    page: (slug) => {
      const found = views.get(slug);
      return found === undefined || found.access() === null ? null : found;
    },
    all: () => [...views.values()],
    ofHost: (name) => [...views].find(([, of]) => of.access()?.hosts.includes(name))?.[0] ?? null,
    publicLogos: () => [view.published()?.summary.logoUrl ?? ""],
    neutral: (name) => neutral?.get(name) ?? null,
  };
  const streams = createStatusStreams({ clock, streams: createStreamCount(maxStreams), maxPerAddress });
  return { view, pages, streams };
}

/** A page of which only the access is known. */
function acmePage(): FakeView {
  const view = fakeView({ slug: "acme" });
  view.allow({ mode: "password", hosts: ["status.acme.example"] });
  return view;
}
