import { statusConfig } from "@sonde/proto/http/status/config";
import { useEffect, useMemo, useRef, useState } from "react";
import { useFormContext, useWatch } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { errorText } from "../../../app/errors.ts";
import { useSettled } from "../../../lib/hooks.ts";
import { Alert } from "../../../ui/alert.tsx";
import { Button, Spinner } from "../../../ui/button.tsx";
import { Card } from "../../../ui/card.tsx";
import { Segmented } from "../../../ui/choice.tsx";
import { PhoneIcon, ScreenIcon } from "../../../ui/icons.tsx";
import { Skeleton } from "../../../ui/states.tsx";
import { useStatusPreviewQuery } from "./api.ts";
import { type PageValues, readInput } from "./form-values.ts";

type PreviewWidth = "desktop" | "phone";

/** Viewport widths in CSS pixels. */
const widthPx: Record<PreviewWidth, number> = { desktop: 900, phone: 390 };
const waitMs = 400;

export function Preview({ slug, initialWidth }: { slug: string; initialWidth: PreviewWidth }) {
  const { t, i18n } = useTranslation();
  const { control } = useFormContext<PageValues>();
  const [width, setWidth] = useState<PreviewWidth>(initialWidth);
  const typed = useWatch<PageValues>({ control }) as PageValues;
  const values = useSettled(typed, waitMs);
  const input = useMemo(() => readInput(values), [values]);
  const isValid = useMemo(() => statusConfig.safeParse(input).success, [input]);
  const { data, error, isFetching, refetch } = useStatusPreviewQuery(
    { slug, input, language: i18n.language },
    { skip: !isValid },
  );
  const widths = [
    { value: "desktop", label: t("statusPage.preview.desktop"), icon: <ScreenIcon /> },
    { value: "phone", label: t("statusPage.preview.phone"), icon: <PhoneIcon /> },
  ] as const;
  return (
    <Card
      flush
      title={
        <span className="inline-flex items-center gap-2">
          {t("statusPage.preview.title")}
          {isFetching && <Spinner />}
        </span>
      }
      actions={
        <Segmented
          label={t("statusPage.preview.width")}
          value={width}
          onChange={setWidth}
          options={widths.map(({ value, label, icon }) => ({
            value,
            label: (
              <span className="inline-flex items-center gap-1.5">
                {icon}
                {label}
              </span>
            ),
          }))}
        />
      }
    >
      {!isValid && (
        <p role="status" className="border-b border-line px-4 py-2 text-[13px] text-muted">
          {t("statusPage.preview.invalid")}
        </p>
      )}
      {error !== undefined && (
        <Alert
          kind="error"
          className="m-3"
          action={
            <Button size="sm" variant="ghost" onClick={() => void refetch()}>
              {t("common.retry")}
            </Button>
          }
        >
          {errorText(error, "previewStatusPage")}
        </Alert>
      )}
      {data !== undefined ? (
        <PreviewFrame html={data.html} css={input.css ?? ""} width={width} title={t("statusPage.preview.frame")} />
      ) : (
        error === undefined && isValid && <Skeleton className="m-4 h-96" />
      )}
    </Card>
  );
}

type PreviewFrameProps = { html: string; css: string; width: PreviewWidth; title: string };

/**
 * Renders a document from the server in a sandbox without scripts. `allow-same-origin` lets its style sheet and font
 * load, and is safe without `allow-scripts`.
 */
function PreviewFrame({ html, css, width, title }: PreviewFrameProps) {
  const box = useRef<HTMLDivElement>(null);
  const frame = useRef<HTMLIFrameElement>(null);
  const scrolledTo = useRef(0);
  const [room, setRoom] = useState(0);
  useEffect(() => {
    if (box.current === null) return;
    const observer = new ResizeObserver(([entry]) => setRoom(entry?.contentRect.width ?? 0));
    observer.observe(box.current);
    return () => observer.disconnect();
  }, []);
  // Scales down a viewport that is wider than the available space, and centres a narrower one.
  const scale = room === 0 ? 1 : Math.min(1, room / widthPx[width]);
  const shownPx = room === 0 ? "100%" : Math.min(room, widthPx[width]);
  return (
    <div
      ref={box}
      className="relative h-[70dvh] min-h-96 overflow-hidden rounded-b-lg bg-sunken xl:h-[calc(100dvh-11rem)]"
    >
      <div className="absolute inset-y-0 left-1/2 -translate-x-1/2 overflow-hidden" style={{ width: shownPx }}>
        <iframe
          ref={frame}
          title={title}
          srcDoc={html}
          sandbox="allow-same-origin"
          onLoad={() => {
            const view = frame.current?.contentWindow;
            if (view === null || view === undefined) return;
            applyCss(view, css);
            view.scrollTo(0, scrolledTo.current);
            view.addEventListener("scroll", () => (scrolledTo.current = view.scrollY), { passive: true });
          }}
          className="origin-top-left border-0"
          style={{ width: widthPx[width], height: `${100 / scale}%`, transform: `scale(${scale})` }}
        />
      </div>
    </div>
  );
}

/** The app's policy forbids inline styles in the frame. The server has checked the CSS, which loads nothing. */
function applyCss(view: Window, css: string): void {
  const { CSSStyleSheet: Sheet } = view as Window & typeof globalThis;
  if (css === "" || Sheet === undefined) return;
  const sheet = new Sheet();
  sheet.replaceSync(css);
  view.document.adoptedStyleSheets = [sheet];
}
