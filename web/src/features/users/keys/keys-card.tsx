import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Alert } from "../../../ui/alert.tsx";
import { Button } from "../../../ui/button.tsx";
import { Card } from "../../../ui/card.tsx";
import { PlusIcon } from "../../../ui/icons.tsx";
import { useKeysQuery } from "./api.ts";
import { KeyList, keysError } from "./key-list.tsx";

export function KeysCard() {
  const { t } = useTranslation();
  const { data, error } = useKeysQuery({ all: false });
  const [isAdding, setIsAdding] = useState(false);
  return (
    <Card
      title={t("keys.title")}
      gap="gap-3"
      actions={
        <Button size="sm" onClick={() => setIsAdding(true)}>
          <PlusIcon />
          {t("keys.add")}
        </Button>
      }
    >
      {error !== undefined && <Alert kind="error">{keysError(error)}</Alert>}
      {data?.keys.length === 0 && <p className="text-muted">{t("keys.none")}</p>}
      <KeyList keys={data?.keys ?? []} isAdding={isAdding} onAdded={() => setIsAdding(false)} />
      <p className="text-[13px] text-faint">{t("keys.note")}</p>
    </Card>
  );
}
