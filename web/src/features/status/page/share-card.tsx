import { basePath } from "../../../lib/base-path.ts";
import { badgeKinds, type BadgeKind } from "@sonde/proto/http/status/status";
import type { StatusConfig } from "@sonde/proto/http/status/config";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Card } from "../../../ui/card.tsx";
import { Segmented } from "../../../ui/choice.tsx";
import { CopyButton } from "../../../ui/copy-button.tsx";
import { Field } from "../../../ui/field.tsx";
import { Select } from "../../../ui/inputs.tsx";
import { defaultPage } from "../pages/api.ts";
import { useTargets } from "./names.ts";

const forms = ["markdown", "html"] as const;
type SnippetForm = (typeof forms)[number];
/** Path of a page's data on the installation's own host. */
const dataPath = (slug: string) => basePath + (slug === defaultPage ? "/api/status" : `/status/${slug}`);
const embedPath = (slug: string) => (slug === defaultPage ? "/status/embed" : `/status/${slug}/embed`);

type ShareProps = { slug: string; config: StatusConfig; page: string };

/**
 * Badges, an embed snippet and a feed. Uses the saved configuration, because the server has badges only for that.
 * @param page absolute URL of the page
 */
export function ShareCard({ slug, config, page }: ShareProps) {
  const { t } = useTranslation();
  return (
    <Card title={t("statusPage.share.title")} gap="gap-5">
      {config.monitors.length === 0 ? (
        <p className="text-muted">{t("statusPage.share.noServices")}</p>
      ) : (
        <Badges slug={slug} config={config} page={page} />
      )}
      <Snippet
        title={t("statusPage.share.embed")}
        hint={t(config.embedOrigins.length === 0 ? "statusPage.share.embedNowhere" : "statusPage.share.embedHint")}
        text={embedSnippet(new URL(embedPath(slug), page).href, config.title)}
      />
      <Snippet
        title={t("statusPage.share.feed")}
        hint={t("statusPage.share.feedHint")}
        text={new URL(`${dataPath(slug)}/feed.atom`, page).href}
      />
    </Card>
  );
}

function Badges({ slug, config, page }: ShareProps) {
  const { t } = useTranslation();
  const targets = useTargets("monitor");
  const [chosen, setChosen] = useState<number | null>(null);
  const [kind, setKind] = useState<BadgeKind>("status");
  const [form, setForm] = useState<SnippetForm>("markdown");
  const [broken, setBroken] = useState<string | null>(null);
  const nameOf = (monitor: number) =>
    config.names.find(({ type, id }) => type === "monitor" && id === monitor)?.name ??
    targets?.get(monitor)?.name ??
    t("alerting.monitor", { id: monitor });
  const monitor = config.monitors.find((id) => id === chosen) ?? config.monitors[0] ?? 0;
  const path = `${dataPath(slug)}/badges/${monitor}.svg?kind=${kind}`;
  const alt = t(`statusPage.share.badgeAlt.${kind}`, { name: nameOf(monitor) });
  return (
    <div className="flex flex-col gap-3">
      <div className="grid gap-3 sm:grid-cols-2">
        <Field label={t("statusPage.share.service")}>
          {(ids) => (
            <Select
              {...ids}
              className="w-full"
              value={monitor}
              onChange={({ target }) => setChosen(Number(target.value))}
              options={config.monitors.map((id) => ({ value: id, label: nameOf(id) }))}
            />
          )}
        </Field>
        <Field label={t("statusPage.share.badge")}>
          {(ids) => (
            <Select
              {...ids}
              className="w-full"
              value={kind}
              onChange={({ target }) => setKind(target.value as BadgeKind)}
              options={badgeKinds.map((value) => ({ value, label: t(`statusPage.share.badgeKinds.${value}`) }))}
            />
          )}
        </Field>
      </div>
      <div className="flex min-h-8 flex-wrap items-center justify-between gap-3">
        <Segmented
          label={t("statusPage.share.form")}
          value={form}
          onChange={setForm}
          options={forms.map((value) => ({ value, label: t(`statusPage.share.forms.${value}`) }))}
        />
        {broken !== path && <img key={path} src={path} alt={alt} onError={() => setBroken(path)} className="h-5" />}
      </div>
      <Snippet title={t("statusPage.share.snippet")} text={badgeSnippet(page, new URL(path, page).href, form, alt)} />
    </div>
  );
}

function Snippet({ title, hint, text }: { title: string; hint?: string; text: string }) {
  const { t } = useTranslation();
  return (
    <div className="flex flex-col gap-1.5">
      <div className="flex items-center justify-between gap-2">
        <p className="text-[13px] font-medium">{title}</p>
        <CopyButton text={text} label={t("common.copy")} about={title} />
      </div>
      <pre
        tabIndex={0}
        aria-label={title}
        role="region"
        className="overflow-x-auto rounded-md border border-line bg-sunken p-3 font-mono text-[13px] whitespace-pre-wrap break-all"
      >
        {text}
      </pre>
      {hint !== undefined && <p className="text-[13px] text-faint">{hint}</p>}
    </div>
  );
}

const escapeHtml = (text: string) =>
  text.replace(/[&<>"]/g, (sign) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[sign] ?? sign);
const escapeMarkdown = (text: string) => text.replace(/[\\[\]]/g, (sign) => `\\${sign}`);

/**
 * Returns a badge with a link to the page, for a README or a website.
 * @param page absolute URL of the page
 * @param image URL of the badge
 * @param alt alternative text of the image
 */
function badgeSnippet(page: string, image: string, form: SnippetForm, alt: string): string {
  return form === "markdown"
    ? `[![${escapeMarkdown(alt)}](${image})](${page})`
    : `<a href="${escapeHtml(page)}"><img src="${escapeHtml(image)}" alt="${escapeHtml(alt)}"></a>`;
}

const embedSnippet = (line: string, title: string): string =>
  `<iframe src="${escapeHtml(line)}" title="${escapeHtml(title)}" width="320" height="48" style="border: 0"></iframe>`;
