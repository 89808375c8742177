# Templates, rendered with what a script gives them.
import _templates


class Template:
    def __init__(self, text, *args, **named):
        self._text = text
        self.globals = {}

    def render(self, *args, **named):
        names = dict(self.globals)
        for given in args:
            names.update(given)
        names.update(named)
        return _templates.render(self._text, names)
