import { useTranslation } from "react-i18next";
import { Card } from "../../ui/card.tsx";
import { Markdown } from "../../ui/markdown.tsx";

/** What people noted for those who are notified. Nothing where nothing was noted. */
export function NoteCard({ note, title }: { note: string | undefined; title?: string }) {
  const { t } = useTranslation();
  if (note === undefined || note.trim() === "") return null;
  return (
    <Card title={title ?? t("alerting.note")}>
      <Markdown text={note} />
    </Card>
  );
}
