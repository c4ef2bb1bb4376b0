/** One button to run, with a menu of all the ways to do it. */
import { hasScope } from "../../app/session";
import { Button } from "../../design/button";
import { Menu } from "../../design/menu";
import type { Block } from "./block_edits";
import type { BlockRange } from "./live_session";

interface Props {
  /** The selected block: "here". */
  block: Block | undefined;
  isBusy: boolean;
  onRun: (range: BlockRange, progressText: string) => Promise<void>;
  onRunFrom: (block: Block) => void;
  onStart: () => Promise<unknown>;
}

export function RunMenu({ block, isBusy, onRun, onRunFrom, onStart }: Props) {
  if (!hasScope("run")) return null;
  const ofBlock = (name: string, help: (shown: string) => string, choose: (block: Block) => unknown) => ({
    name,
    help: block ? help(`“${block.name}”`) : "Select a block first.",
    disabled: isBusy || !block,
    onChoose: () => block && choose(block),
  });
  return (
    <span class="split">
      <Button
        kind="primary"
        icon="play"
        disabled={isBusy}
        title="Runs all blocks in a browser beside the editor, saved or not"
        onPress={() => onRun({}, "Running all blocks…")}
      >
        Run
      </Button>
      <Menu
        label="More ways to run"
        kind="primary"
        items={[
          ofBlock(
            "Run to here",
            (shown) => `From the first block up to ${shown}, in the browser beside the editor.`,
            (one) => onRun({ lastBlockId: one.key }, `Running to “${one.name}”…`),
          ),
          ofBlock(
            "Run from here",
            (shown) => `${shown} and what follows, with the results, page and sign-in of an earlier run.`,
            onRunFrom,
          ),
          ofBlock(
            "Run this block",
            (shown) => `${shown} alone, on the page as it is now.`,
            (one) => onRun({ blockId: one.key }, `Running “${one.name}”…`),
          ),
          {
            name: "Run in the background",
            help: "Saves, then runs all blocks as a schedule or a program would; its page shows every step.",
            onChoose: onStart,
          },
        ]}
      />
    </span>
  );
}
