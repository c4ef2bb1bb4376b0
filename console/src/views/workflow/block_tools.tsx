/** What can be done with the chosen block. */
import { Button } from "../../design/button";
import { behind, laneName } from "./block_tree";
import { afterSelected, copyBlock, deleteBlock } from "./clipboard";
import type { Draft } from "./draft";
import type { What } from "./live_session";
import { copyOf, insert, placeOf, type Block, type Place } from "./tree_edit";

interface Props {
  block: Block;
  draft: Draft;
  isBusy: boolean;
  onStart: (startBlockId: string) => void;
  onTry: (what: What, words: string) => Promise<void>;
  onInsert: (place: Place) => void;
}

export function BlockTools({ block, draft, isBusy, onStart, onTry, onInsert }: Props) {
  const place = placeOf(draft.blocks.value, block.key);
  return (
    <div class="row block-tools">
      <Button needs="run" icon="play" disabled={isBusy} onPress={() => onTry({ blockId: block.key }, `Running “${block.name}”…`)}>
        Run this block
      </Button>
      <Button needs="run" disabled={isBusy} onPress={() => onTry({ lastBlockId: block.key }, `Running to “${block.name}”…`)}>
        Run to here
      </Button>
      {block.id && !draft.isChanged.value && (
        <Button needs="run" kind="quiet" onPress={() => onStart(block.id!)}>
          Run from here
        </Button>
      )}
      <Button needs="edit" kind="quiet" icon="plus" onPress={() => place && onInsert(place)}>
        Insert before
      </Button>
      <Button needs="edit" kind="quiet" icon="plus" onPress={() => onInsert(behind(place))}>
        Insert after
      </Button>
      {Object.entries(block.sequenceData).map(([name, list]) => (
        <Button needs="edit" key={name} kind="quiet" icon="plus" onPress={() => onInsert({ parent: block.key, sequence: name, index: list.length })}>
          {`Insert into ${laneName(name).toLowerCase()}`}
        </Button>
      ))}
      <Button kind="quiet" icon="copy" onPress={() => copyBlock(draft)}>
        Copy
      </Button>
      <Button needs="edit" kind="quiet" icon="plus" onPress={() => draft.change(insert(draft.blocks.value, afterSelected(draft), [copyOf(block)]))}>
        Duplicate
      </Button>
      <Button needs="edit" kind="quiet" icon="trash" onPress={() => deleteBlock(draft)}>
        Delete
      </Button>
    </div>
  );
}
