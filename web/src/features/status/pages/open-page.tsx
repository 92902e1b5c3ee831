import { basePath } from "../../../lib/base-path.ts";
import { useEffect, useEffectEvent } from "react";
import { useTranslation } from "react-i18next";
import { useSearchParams } from "react-router-dom";
import { errorText } from "../../../app/errors.ts";
import { publicPage } from "../../../app/paths.ts";
import { toast } from "../../../ui/alert.tsx";
import { Button, buttonClass } from "../../../ui/button.tsx";
import { ExternalIcon } from "../../../ui/icons.tsx";
import { useStatusPagesQuery } from "../../../entities/pages/api.ts";
import { defaultPage, useOpenPageMutation } from "./api.ts";

export function OpenPage({ slug }: { slug: string }) {
  const { t } = useTranslation();
  const { data: pages } = useStatusPagesQuery();
  const { open, isOpening } = useOpen();
  const page = pages?.find((one) => one.slug === slug);
  const words = (
    <>
      <ExternalIcon />
      {/* Rarely changes when the pages arrive: a shorter label could move everything below. */}
      {t(slug === defaultPage && (page?.mode ?? "public") === "public" ? "statusPage.open" : "statusPage.pages.open")}
    </>
  );
  if (page !== undefined && page.mode !== "public") {
    return (
      <Button saving={isOpening} onClick={() => void open(slug)}>
        {words}
      </Button>
    );
  }
  return (
    <a href={slug === defaultPage ? publicPage : `${publicPage}/${slug}`} className={buttonClass()}>
      {words}
    </a>
  );
}

/** Unlocks a page and returns to it, for a user who was sent from a locked page with `?open=` and optionally `host`. */
export function useOpenOnArrival(): void {
  const [params] = useSearchParams();
  const { open } = useOpen();
  const slug = params.get("open");
  const arrive = useEffectEvent(() => slug !== null && void open(slug, params.get("host") ?? undefined));
  useEffect(() => void arrive(), [slug]);
}

function useOpen() {
  const [openPage, { isLoading: isOpening }] = useOpenPageMutation();
  const open = async (slug: string, host?: string) => {
    const { data, error } = await openPage({ slug, host });
    if (data?.url !== undefined) location.assign(data.url.startsWith("/") ? basePath + data.url : data.url);
    else toast("error", errorText(error, "openPage"));
  };
  return { open, isOpening };
}
