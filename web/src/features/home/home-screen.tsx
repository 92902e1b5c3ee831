import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { useSession } from "../../app/hooks.ts";
import { paths, publicPage } from "../../app/paths.ts";
import { formatDuration, formatPercent } from "../../lib/format.ts";
import { Badge, StatusBadge } from "../../ui/badge.tsx";
import { ButtonLink } from "../../ui/button.tsx";
import { cx } from "../../ui/cx.ts";
import { ArrowRightIcon, BellIcon, GridIcon, PageIcon, PulseIcon } from "../../ui/icons.tsx";
import { usePageTitle } from "../../ui/page-header.tsx";

const features = [
  { key: "realtime", icon: <PulseIcon /> },
  { key: "alerts", icon: <BellIcon /> },
  { key: "dashboard", icon: <GridIcon /> },
  { key: "statusPage", icon: <PageIcon /> },
] as const satisfies readonly { key: string; icon: ReactNode }[];

const steps = ["one", "two", "three"] as const;

export default function HomeScreen() {
  const { t } = useTranslation();
  usePageTitle("Sonde");
  return (
    <div className="flex flex-col gap-16 py-4 md:gap-24 md:py-10">
      <section className="grid items-center gap-10 lg:grid-cols-[minmax(0,5fr)_minmax(0,6fr)]">
        <div>
          <h1 className="text-[2rem] leading-tight font-semibold tracking-tight md:text-[2.75rem]">
            {t("home.title")}
          </h1>
          <p className="mt-4 max-w-lg text-[16px] text-muted md:text-[17px]">{t("home.lead")}</p>
          <HomeActions />
        </div>
        <SampleScreen />
      </section>

      <section>
        <h2 className="text-xl font-semibold tracking-tight md:text-2xl">{t("home.features.title")}</h2>
        <ul className="mt-6 grid gap-px overflow-hidden rounded-lg border border-line bg-line sm:grid-cols-2 lg:grid-cols-4">
          {features.map(({ key, icon }) => (
            <li key={key} className="bg-surface p-5">
              <span className="text-accent [&>svg]:size-5">{icon}</span>
              <h3 className="mt-2 text-[15px] font-semibold">{t(`home.features.${key}.title`)}</h3>
              <p className="mt-1 text-muted">{t(`home.features.${key}.text`)}</p>
              {key === "statusPage" && (
                <a
                  href={publicPage}
                  className="mt-2 inline-flex min-h-6 items-center gap-1 font-medium text-accent-strong hover:underline"
                >
                  {t("home.features.statusPage.open")}
                  <ArrowRightIcon />
                </a>
              )}
            </li>
          ))}
        </ul>
      </section>

      <section className="pb-4">
        <h2 className="text-xl font-semibold tracking-tight md:text-2xl">{t("home.steps.title")}</h2>
        <ol className="mt-6 grid gap-6 md:grid-cols-3">
          {steps.map((step, index) => (
            <li key={step} className="flex gap-3 border-t border-line-strong pt-4">
              <span aria-hidden="true" className="tnum text-[15px] font-semibold text-accent">
                {index + 1}
              </span>
              <div>
                <h3 className="text-[15px] font-semibold">{t(`home.steps.${step}.title`)}</h3>
                <p className="mt-0.5 text-muted">{t(`home.steps.${step}.text`)}</p>
              </div>
            </li>
          ))}
        </ol>
      </section>
    </div>
  );
}

function HomeActions() {
  const { t } = useTranslation();
  const loggedIn = useSession().status === "authenticated";
  return (
    <div className="mt-7 flex flex-wrap gap-3">
      {loggedIn ? (
        <ButtonLink to={paths.dashboard} variant="primary" size="lg">
          {t("home.dashboard")}
          <ArrowRightIcon />
        </ButtonLink>
      ) : (
        <>
          <ButtonLink to={paths.register} variant="primary" size="lg">
            {t("home.start")}
            <ArrowRightIcon />
          </ButtonLink>
          <ButtonLink to={paths.login} size="lg">
            {t("home.login")}
          </ButtonLink>
        </>
      )}
    </div>
  );
}

/** Example data, labelled as such: `u` up, `p` partly down, `d` down, `n` no data. */
const rows = [
  { key: "checkout", state: "up", percent: 100, ms: 84, bars: "uuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuu" },
  { key: "search", state: "up", percent: 99.94, ms: 212, bars: "uuuuuuuuuuuupduuuuuuuuuuuuuuuuuuuuuu" },
  { key: "mailer", state: "down", percent: 97.21, ms: 3000, bars: "uuuuuuuunnnuuuuuuuuuuuuuuuuuuuupdddd" },
] as const;

const looks: Record<string, string> = { u: "h-6 bg-up", p: "h-6 bg-warn", d: "h-6 bg-down", n: "h-3 hatched" };
const phases = [
  { key: "dns", width: "w-[9%]", look: "bg-accent/35" },
  { key: "connect", width: "w-[16%]", look: "bg-accent/55" },
  { key: "tls", width: "w-[27%]", look: "bg-accent/75" },
  { key: "firstByte", width: "w-[48%]", look: "bg-accent" },
] as const;

function SampleScreen() {
  const { t, i18n } = useTranslation();
  return (
    <figure className="min-w-0">
      <div aria-hidden="true" className="rounded-lg border border-line bg-surface">
        <div className="flex items-center justify-between border-b border-line px-4 py-2.5">
          <span className="font-semibold">{t("nav.monitors")}</span>
          <Badge tone="accent">{t("home.example")}</Badge>
        </div>
        {rows.map((row) => (
          <div
            key={row.key}
            className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 gap-y-2 border-b border-line px-4 py-3"
          >
            <span className="flex items-center gap-3">
              <StatusBadge state={row.state} />
              <span className="truncate font-medium">{t(`home.sample.${row.key}`)}</span>
            </span>
            <span className="tnum text-[13px] text-muted">
              {formatDuration(row.ms, i18n.language)} · {formatPercent(row.percent, i18n.language)}
            </span>
            <span className="col-span-2 flex h-6 items-end gap-[2px]">
              {Array.from(row.bars, (bar, index) => (
                <span key={index} className={cx("flex-1 rounded-[2px]", looks[bar])} />
              ))}
            </span>
          </div>
        ))}
        <div className="px-4 py-3">
          <p className="text-[13px] text-muted">{t("home.sample.phases")}</p>
          <div className="mt-2 flex gap-[2px]">
            {phases.map(({ key, width, look }) => (
              <span key={key} className={cx("flex min-w-0 flex-col gap-1", width)}>
                <span className={cx("h-2.5 rounded-[2px]", look)} />
                <span className="truncate text-[12px] text-faint">{t(`monitor.phases.${key}`)}</span>
              </span>
            ))}
          </div>
        </div>
      </div>
      <figcaption className="mt-2 text-[13px] text-faint">{t("home.exampleNote")}</figcaption>
    </figure>
  );
}
