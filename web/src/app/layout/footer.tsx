import { useTranslation } from "react-i18next";
import { useConfigQuery } from "../config.ts";

/** Copyright and the three links that the installation names. Its space is kept while the links load. */
export function Footer() {
  const { t } = useTranslation();
  const { data } = useConfigQuery();
  const links = data?.footerLinks;
  return (
    <footer className="border-t border-line">
      <div className="container-page flex min-h-14 flex-wrap items-center justify-between gap-x-6 gap-y-1 py-3 text-[13px] text-faint">
        <p className="tnum">{t("footer.copyright", { year: new Date().getFullYear() })}</p>
        {links !== undefined && (
          <nav aria-label={t("footer.copyright", { year: "" }).trim()} className="flex flex-wrap gap-x-5">
            {(["blog", "video", "mail"] as const).map((name) => (
              <a
                key={name}
                href={safeLink(links[name])}
                target="_blank"
                rel="noopener noreferrer"
                className="inline-flex min-h-8 items-center hover:text-ink hover:underline"
              >
                {t(`footer.${name}`)}
              </a>
            ))}
          </nav>
        )}
      </div>
    </footer>
  );
}

/** Only web addresses become links, whatever the configuration holds. */
function safeLink(address: string): string | undefined {
  return /^https?:\/\//i.test(address) ? address : undefined;
}
