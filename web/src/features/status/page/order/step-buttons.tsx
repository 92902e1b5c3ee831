import { useTranslation } from "react-i18next";
import { Button } from "../../../../ui/button.tsx";
import { ArrowDownIcon, ArrowUpIcon } from "../../../../ui/icons.tsx";

type StepButtonsProps = { name: string; isFirst: boolean; isLast: boolean; onStep: (step: 1 | -1) => void };

/** Up and down by one place. At an end a button stays focusable, so that pressing it again loses nothing. */
export function StepButtons({ name, isFirst, isLast, onStep }: StepButtonsProps) {
  const { t } = useTranslation();
  const steps = [
    { step: -1, ends: isFirst, label: t("statusPage.order.up", { name }), icon: <ArrowUpIcon /> },
    { step: 1, ends: isLast, label: t("statusPage.order.down", { name }), icon: <ArrowDownIcon /> },
  ] as const;
  return steps.map(({ step, ends, label, icon }) => (
    <Button
      key={step}
      variant="ghost"
      size="icon"
      aria-label={label}
      title={label}
      aria-disabled={ends || undefined}
      onClick={() => {
        if (!ends) onStep(step);
      }}
    >
      {icon}
    </Button>
  ));
}
