import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { useSession } from "../../app/hooks.ts";
import { paths } from "../../app/paths.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { PlusIcon, PulseIcon, ServerIcon } from "../../ui/icons.tsx";

/** The dashboard of a Sonde that watches nothing yet: the two things to do. */
export function FirstSteps() {
  const { t } = useTranslation();
  const { mayChange } = useSession();
  return (
    <section className="py-4 md:py-8">
      <h2 className="text-lg font-semibold">{t("dashboard.empty.title")}</h2>
      <p className="text-muted">{t("dashboard.empty.text")}</p>
      <div className="mt-5 grid gap-4 md:grid-cols-2">
        <Step icon={<PulseIcon />} title={t("dashboard.empty.monitor")} text={t("dashboard.empty.monitorText")}>
          {mayChange && (
            <ButtonLink to={paths.monitorCreate} variant="primary">
              <PlusIcon />
              {t("dashboard.empty.monitorAction")}
            </ButtonLink>
          )}
        </Step>
        <Step icon={<ServerIcon />} title={t("dashboard.empty.agent")} text={t("dashboard.empty.agentText")}>
          {mayChange && (
            <ButtonLink to={paths.agentCreate}>
              <PlusIcon />
              {t("dashboard.empty.agentAction")}
            </ButtonLink>
          )}
        </Step>
      </div>
    </section>
  );
}

type StepProps = { icon: ReactNode; title: string; text: string; children: ReactNode };

function Step({ icon, title, text, children }: StepProps) {
  return (
    <div className="flex flex-col items-start gap-1 rounded-lg border border-line bg-surface p-5">
      <span className="mb-1 text-accent [&>svg]:size-6">{icon}</span>
      <h3 className="text-[15px] font-semibold">{title}</h3>
      <p className="text-muted">{text}</p>
      <div className="mt-auto pt-4">{children}</div>
    </div>
  );
}
