import { Component, type ReactNode } from 'react';
import { useWords } from '../words/language';
import { shell } from '../words/shell';
import { Button } from './Button';
import { EmptyState } from './States';

/** Keeps a page that breaks from taking the others with it. */
export class Fence extends Component<{ children: ReactNode }, { broken: boolean }> {
  override state = { broken: false };

  static getDerivedStateFromError() {
    return { broken: true };
  }

  override render() {
    return this.state.broken ? <Broken /> : this.props.children;
  }
}

function Broken() {
  const say = useWords(shell);
  return (
    <EmptyState icon="alert" title={say.failed} help={say.crashed}>
      <Button look="primary" onClick={() => location.reload()}>
        {say.reload}
      </Button>
    </EmptyState>
  );
}
