import { useTranslation } from "react-i18next";
import { CopyButton } from "../../../ui/copy-button.tsx";
import { ExternalIcon } from "../../../ui/icons.tsx";
import { buttonClass } from "../../../ui/button.tsx";

/** The page's whole address; where PUBLIC_URL is not set, as this browser reaches it. */
export const wholeAddress = (publicUrl: string) => new URL(publicUrl, window.location.origin).href;

/** Where people read the page: to copy, and to open. */
export function PublicAddress({ publicUrl }: { publicUrl: string }) {
  const { t } = useTranslation();
  const address = wholeAddress(publicUrl);
  return (
    <section
      aria-labelledby="public-address"
      className="flex flex-wrap items-center gap-x-3 gap-y-2 rounded-lg border border-line bg-surface px-4 py-3 md:px-5"
    >
      <h2 id="public-address" className="w-full text-[13px] font-medium text-muted sm:w-auto">
        {t("statusPage.address.title")}
      </h2>
      <code className="min-w-0 flex-1 basis-48 font-mono text-[13px] break-all">{address}</code>
      <span className="flex items-center gap-1">
        <CopyButton text={address} label={t("statusPage.address.copy")} />
        <a href={publicUrl} target="_blank" rel="noopener" className={buttonClass("ghost", "sm")}>
          <ExternalIcon />
          {t("statusPage.address.open")}
        </a>
      </span>
      {publicUrl.startsWith("/") && (
        <p className="w-full text-[13px] text-muted">{t("statusPage.address.noPublicUrl")}</p>
      )}
    </section>
  );
}
