import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Link, useSearchParams } from "react-router-dom";
import { useAppSelector } from "../../../app/hooks.ts";
import { paths } from "../../../app/paths.ts";
import { formatTime } from "../../../lib/format.ts";
import { useNow } from "../../../lib/hooks.ts";
import { readParams, textFilter } from "../../../lists/params.ts";
import { shownState } from "../../../ui/badge.tsx";
import { CrossIcon, WarnIcon } from "../../../ui/icons.tsx";
import { usePageTitle } from "../../../ui/page-header.tsx";
import { LoadingText } from "../../../ui/states.tsx";
import { useMonitorsQuery } from "../api.ts";
import { listFilters } from "../list/list.ts";
import { useViewsQuery } from "../views.ts";
import { useScreenAwake } from "./screen-awake.ts";
import { TileGrid } from "./tiles.tsx";

/** In addition to live events, to prove that the data is current, and to recover from failed requests. */
const pollMs = 20_000;
const oldMs = 60_000;
/** The largest page of the list. Failures come first. */
const maxMonitors = 200;

const filters = { search: textFilter(200), ...listFilters };
const badStates = ["down", "noData"] as const;

/** All monitors of a view on one screen without navigation, for a screen on a wall. */
export default function WallScreen() {
  const { t } = useTranslation();
  const [address] = useSearchParams();
  const name = address.get("view");
  const views = useViewsQuery(undefined, { skip: name === null, pollingInterval: pollMs });
  const view = [...(views.data?.views ?? []), ...(views.data?.shared ?? [])].find((each) => each.name === name);
  const isUnknown = name !== null && views.data !== undefined && view === undefined;
  const title = name ?? t("wall.all");
  usePageTitle(title);
  useScreenAwake();
  const chosen = readParams(filters, view === undefined ? address : new URLSearchParams(view.query));
  const query = useMonitorsQuery(
    { ...chosen, sort: "status", pageSize: maxMonitors },
    { skip: name !== null && view === undefined, pollingInterval: pollMs, refetchOnMountOrArgChange: true },
  );
  const { monitors = [], total = 0 } = query.data ?? {};
  const byState = Map.groupBy(monitors, shownState);
  const bad = badStates.flatMap((state) => byState.get(state) ?? []);
  const good = monitors.filter((monitor) => !bad.includes(monitor));
  const badShare = good.length === 0 ? 1 : bad.length === 0 ? 0 : Math.min(0.7, 0.3 + bad.length * 0.05);
  const rest = total - monitors.length;
  const grids = [
    { monitors: bad, max: 24, share: badShare, rest: good.length === 0 ? rest : 0 },
    { monitors: good, max: bad.length === 0 ? 72 : 36, share: 1 - badShare, rest },
  ];
  return (
    <main className="flex h-dvh flex-col gap-3 overflow-hidden bg-ground p-3">
      <header className="flex shrink-0 flex-wrap items-center gap-x-6 text-[clamp(1rem,2.2vw,2.25rem)] leading-tight">
        <h1 className="min-w-0 truncate font-semibold max-sm:flex-1">{title}</h1>
        <p
          role="status"
          className="tnum flex flex-1 gap-x-4 font-semibold whitespace-nowrap max-sm:order-1 max-sm:basis-full"
        >
          {badStates
            .filter((state) => byState.has(state))
            .map((state) => (
              <span key={state} className={state === "down" ? "text-down-ink" : "text-idle-ink"}>
                {t(`wall.${state}`, { count: byState.get(state)?.length ?? 0 })}
              </span>
            ))}
          {query.data !== undefined && bad.length === 0 && <span className="text-up-ink">{t("wall.calm")}</span>}
        </p>
        <Clock />
        <Link
          to={paths.monitors}
          aria-label={t("wall.leave")}
          title={t("wall.leave")}
          className="rounded-sm p-1 text-faint hover:text-ink"
        >
          <CrossIcon className="size-6" />
        </Link>
      </header>
      <OldNote dataAtMs={query.fulfilledTimeStamp} />
      {isUnknown ? (
        <p className="m-auto text-2xl">{t("wall.unknown", { name })}</p>
      ) : query.data === undefined ? (
        <LoadingText />
      ) : (
        grids.map((grid, index) => grid.monitors.length > 0 && <TileGrid key={index} {...grid} />)
      )}
    </main>
  );
}

function Clock() {
  const { i18n } = useTranslation();
  return <span className="tnum shrink-0">{formatTime(useNow(), i18n.language)}</span>;
}

/** Warns if the data or the live connection is older than a minute. */
function OldNote({ dataAtMs }: { dataAtMs: number | undefined }) {
  const { t, i18n } = useTranslation();
  const nowMs = useNow();
  const isConnected = useAppSelector((state) => state.live.status === "connected");
  const [openedAtMs] = useState(nowMs);
  const [lostAtMs, setLostAtMs] = useState<number | null>(nowMs);
  if ((lostAtMs === null) !== isConnected) setLostAtMs(isConnected ? null : nowMs);
  const isOld = nowMs - (dataAtMs ?? openedAtMs) > oldMs;
  const sinceMs = isOld ? (dataAtMs ?? openedAtMs) : (lostAtMs ?? nowMs);
  if (nowMs - sinceMs <= oldMs) return null;
  return (
    <p
      role="alert"
      className="flex shrink-0 items-center gap-3 rounded-md bg-danger px-4 py-2 text-[clamp(1rem,2.2vw,2.25rem)] leading-tight font-semibold text-on-danger"
    >
      <WarnIcon className="size-[1em] shrink-0" />
      {t(isOld ? "wall.old" : "wall.lost", { time: formatTime(sinceMs, i18n.language) })}
    </p>
  );
}
