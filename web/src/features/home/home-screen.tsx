import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { useSession } from "../../app/hooks.ts";
import { paths, publicPage } from "../../app/paths.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { ArrowRightIcon, BellIcon, GridIcon, PageIcon, PulseIcon } from "../../ui/icons.tsx";
import { usePageTitle } from "../../ui/page-header.tsx";
import { SampleScreen } from "./sample-screen.tsx";

const features = [
  { key: "realtime", icon: <PulseIcon /> },
  { key: "alerts", icon: <BellIcon /> },
  { key: "dashboard", icon: <GridIcon /> },
  { key: "statusPage", icon: <PageIcon /> },
] as const satisfies readonly { key: string; icon: ReactNode }[];

const steps = ["one", "two", "three"] as const;

/** What Sonde is, for those who do not know it yet. */
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
