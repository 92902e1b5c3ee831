import { useWatch } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { useConfigQuery } from "../../../app/config.ts";
import { CopyButton } from "../../../ui/copy-button.tsx";
import { type AccessValues, entries } from "./form-values.ts";

/** Lists the DNS record that each domain needs, also before it is saved. */
export function DnsRecords() {
  const { t } = useTranslation();
  const { data: config } = useConfigQuery();
  const hosts = entries(useWatch<AccessValues, "hosts">({ name: "hosts" }));
  if (config?.publicUrl == null || hosts.length === 0) return null;
  const { hostname } = new URL(config.publicUrl);
  return (
    <div className="flex flex-col gap-1">
      <h3 className="text-[13px] font-medium">{t("statusPage.access.dnsTitle")}</h3>
      <ul className="flex flex-col">
        {hosts.map((host) => (
          <li key={host} className="flex items-center justify-between gap-2">
            <code className="min-w-0 font-mono text-[13px] break-all">{recordOf(host, hostname)}</code>
            <CopyButton text={recordOf(host, hostname)} about={t("statusPage.access.dnsRecord", { host })} />
          </li>
        ))}
      </ul>
      <p className="text-[13px] text-faint">{t("statusPage.access.dnsHint")}</p>
    </div>
  );
}

/** In the format of zone files, which the forms of DNS providers follow. `target`: host of `PUBLIC_URL`. */
export function recordOf(host: string, target: string): string {
  if (/^[\d.]+$/.test(target)) return `${host}. A ${target}`;
  return target.startsWith("[") ? `${host}. AAAA ${target.slice(1, -1)}` : `${host}. CNAME ${target}.`;
}
