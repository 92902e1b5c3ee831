import type { ProviderReport } from "@sonde/proto/http/sign-in";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Badge } from "../../ui/badge.tsx";
import { CheckIcon, WarnIcon } from "../../ui/icons.tsx";

export function Report({ report }: { report: ProviderReport }) {
  const { t } = useTranslation();
  const { discovery, keys, clock, backchannelLogout, role } = report;
  const seconds = clock.differenceSeconds;
  return (
    <ul className="flex flex-col gap-2">
      <Step isOk={discovery.isOk} name={t("signIn.report.discovery")}>
        {discovery.detail}
      </Step>
      <Step isOk={keys.isOk} name={t("signIn.report.keys")}>
        {keys.detail}
      </Step>
      <Step isOk={clock.isOk} name={t("signIn.report.clock")}>
        {seconds !== undefined && t("signIn.report.seconds", { seconds })}
      </Step>
      <Step isOk={backchannelLogout} name={t("signIn.report.logout")}>
        {t(backchannelLogout ? "signIn.report.hasLogout" : "signIn.report.noLogout")}
      </Step>
      {role !== undefined && (
        <Step isOk={role.role !== "none"} name={t("signIn.report.role")}>
          {t("signIn.report.gives", {
            role: role.role === "none" ? t("signIn.noRole") : t(`users.roles.${role.role}`),
            values: role.values.join(", ") || t("common.none"),
          })}
        </Step>
      )}
    </ul>
  );
}

function Step({ isOk, name, children }: { isOk: boolean; name: string; children?: ReactNode }) {
  const { t } = useTranslation();
  return (
    <li className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
      <Badge tone={isOk ? "up" : "warn"} icon={isOk ? CheckIcon : WarnIcon}>
        {t(isOk ? "signIn.report.ok" : "signIn.report.look")}
      </Badge>
      <span className="font-medium">{name}</span>
      <span className="min-w-0 text-[13px] break-words text-muted">{children}</span>
    </li>
  );
}
