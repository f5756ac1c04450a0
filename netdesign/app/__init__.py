"""The pages people use: widgets over an Evaluation. See ``netdesign.app.layout`` for the parts."""
