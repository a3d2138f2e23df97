"""Keys of configuration files that say nothing about what a model computes, so that the others stand out.

They are those that Hugging Face's libraries write into every family's files: where the weights come from, how they are
loaded, special tokens, names of labels, and defaults of training and generation.
"""

from __future__ import annotations

BOOKKEEPING = frozenset(
    (
        *("_name_or_path", "name_or_path", "_commit_hash", "architectures", "auto_map", "model_type"),
        *("transformers_version", "tokenizer_class", "processor_class", "custom_pipelines", "finetuning_task"),
        *("torch_dtype", "dtype", "torchscript", "use_bfloat16", "tf_legacy_loss", "_attn_implementation"),
        *("_attn_implementation_autoset", "attn_implementation", "_experts_implementation", "gradient_checkpointing"),
        *("bos_token_id", "eos_token_id", "pad_token_id", "unk_token_id", "sep_token_id", "cls_token_id"),
        *("mask_token_id", "decoder_start_token_id", "forced_bos_token_id", "forced_eos_token_id", "prefix"),
        *("id2label", "label2id", "problem_type", "task_specific_params", "use_cache", "return_dict"),
        *("return_dict_in_generate", "output_attentions", "output_hidden_states", "output_scores", "output_past"),
        *("chunk_size_feed_forward", "do_sample", "early_stopping", "max_length", "min_length", "max_new_tokens"),
        *("min_new_tokens", "num_beams", "num_beam_groups", "diversity_penalty", "temperature", "top_k", "top_p"),
        *("typical_p", "repetition_penalty", "length_penalty", "no_repeat_ngram_size", "bad_words_ids"),
        *("encoder_no_repeat_ngram_size", "num_return_sequences", "suppress_tokens", "begin_suppress_tokens"),
        *("exponential_decay_length_penalty", "remove_invalid_values"),
    )
)
"""The names of these keys."""
